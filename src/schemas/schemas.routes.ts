import { createHash } from 'node:crypto';
import { type Route, routes } from '../api/endpoint.ts';
import { tagsOf } from '../api/if-match.ts';
import { JsonStream, Versioned } from '../api/reply.ts';
import type { AppSchema } from './schema-store.ts';
import { schemaEndpoints } from './schemas.contract.ts';
import type { SchemaService } from './schemas.service.ts';

/** The endpoints of schemas (spec 4.1 and 4.4). */
export const schemaRoutes = (schemas: SchemaService): Route[] =>
  routes(schemaEndpoints, {
    getSchema: async ({ principal }) => versioned(await schemas.current(principal.sourceAppId)),
    getOwnSchema: async ({ principal, query }) => present(await schemas.ofApp(principal.app, query.version)),

    getAppSchema: async ({ params, query, res }) => {
      const schema = await schemas.get(params.sourceAppId, query.version);
      // Not usable for 304: version 2 of another incarnation of the app is another document.
      res.setHeader('ETag', `"v${schema.version}"`);
      return present(schema);
    },

    replaceSchema: async ({ principal, params, headers, body }) => {
      const options = { over: versionsOf(headers['if-match']), author: principal.sourceAppId };
      return present(await schemas.replace(params.sourceAppId, body, options));
    },

    listSchemaVersions: async ({ params }) =>
      JsonStream.of('versions', await schemas.history(params.sourceAppId), (version) => version),
  });

/**
 * Returns the versions that an `If-Match` header names; undefined when it sets no condition. Tags
 * of another form name no version.
 */
function versionsOf(ifMatch: string | undefined): number[] | undefined {
  return tagsOf(ifMatch)?.flatMap((tag) => /^"v([1-9]\d{0,8})"$/.exec(tag)?.slice(1).map(Number) ?? []);
}

function present({ version, rejectUnknown, fields }: AppSchema): AppSchema {
  return { version, rejectUnknown, fields };
}

/** Serialized schemas. The leases keep one object per newest schema, so each is serialized once. */
const replies = new WeakMap<AppSchema, Versioned>();

function versioned(schema: AppSchema): Versioned {
  let reply = replies.get(schema);
  if (!reply) {
    const json = JSON.stringify(present(schema));
    reply = new Versioned(json, `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`);
    replies.set(schema, reply);
  }
  return reply;
}
