import { createHash } from 'node:crypto';
import { type Route, routes } from '../api/endpoint.ts';
import { JsonStream, Versioned } from '../api/reply.ts';
import type { AppSchema } from './schema-store.ts';
import { schemaEndpoints } from './schemas.contract.ts';
import type { SchemaService } from './schemas.service.ts';

export const schemaRoutes = (schemas: SchemaService): Route[] =>
  routes(schemaEndpoints, {
    getSchema: async ({ appId }) => versioned(await schemas.current(appId)),
    getOwnSchema: async ({ app, query }) => present(await schemas.ofApp(app, query.version)),

    getAppSchema: async ({ params, query, res }) => {
      const schema = await schemas.get(params.sourceAppId, query.version);
      // Not for 304: after an app was deleted and created again, version 2 is another document.
      res.setHeader('ETag', `"v${schema.version}"`);
      return present(schema);
    },

    replaceSchema: async ({ params, headers, body }) =>
      present(await schemas.replace(params.sourceAppId, body, versionsOf(headers['if-match']))),

    listSchemaVersions: async ({ params }) =>
      JsonStream.of('versions', await schemas.history(params.sourceAppId), (version) => version),
  });

/**
 * The versions that an `If-Match` names, or undefined when it sets no condition. A tag of another form names none. Weak tags count, though HTTP says otherwise: proxies that
 * compress weaken ours, and the version is the same.
 */
function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return [...ifMatch.matchAll(/"v([1-9]\d{0,8})"/g)].map(([, version]) => Number(version));
}

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
