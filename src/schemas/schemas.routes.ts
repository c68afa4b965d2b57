import { createHash } from 'node:crypto';
import { type Route, routes } from '../http/endpoint.ts';
import { Versioned } from '../http/reply.ts';
import type { AppSchema } from './schema-store.ts';
import { schemaEndpoints } from './schemas.contract.ts';
import type { SchemaService } from './schemas.service.ts';

export const schemaRoutes = (schemas: SchemaService): Route[] =>
  routes(schemaEndpoints, {
    getSchema: async ({ appId }) => versioned(await schemas.current(appId)),
    getAppSchema: async ({ params, query }) => present(await schemas.get(params.sourceAppId, query.version)),
    replaceSchema: async ({ params, body }) => present(await schemas.replace(params.sourceAppId, body)),
  });

function present({ version, rejectUnknown, fields }: AppSchema): AppSchema {
  return { version, rejectUnknown, fields };
}

/** A schema is the same object for as long as it is the newest, so it is turned into text once. */
const texts = new WeakMap<AppSchema, Versioned>();

function versioned(schema: AppSchema): Versioned {
  let text = texts.get(schema);
  if (!text) {
    const json = JSON.stringify(present(schema));
    text = new Versioned(json, `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`);
    texts.set(schema, text);
  }
  return text;
}
