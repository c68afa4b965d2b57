import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { AppSchema } from '../../core/schemas/schemas.model.ts';
import {
  present,
  presentVersion,
  SchemaDocument,
  schemaEndpoints,
  tagOf,
  versioned,
} from '../../core/schemas/schemas.routes.ts';
import type { CompiledVersion, SchemaService } from '../../core/schemas/schemas.service.ts';
import { TypedJson, Versioned } from '../../platform/http/reply.ts';
import { WholeNumber } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { JSON_SCHEMA_TYPE, toJsonSchema } from './json-schema.ts';

const VersionQuery = z.strictObject({
  version: WholeNumber(1).optional().meta({ description: 'An earlier version. Default: the newest', example: 1 }),
});
/** Not strict: unknown parameters of public reads are ignored. */
const FormatQuery = z.object({
  format: z
    .literal('json-schema', code('notJsonSchema'))
    .optional()
    .meta({ description: 'The JSON Schema of `data`, draft 2020-12. Default: the fields' }),
});
const OwnVersionQuery = VersionQuery.extend({ sourceAppId: ScopeParameter });

/** Earlier versions of a schema, and JSON Schema. Extends the endpoints of the core. */
export const schemaReadEndpoints = {
  getSchema: {
    ...schemaEndpoints.getSchema,
    query: FormatQuery,
    downloads: [JSON_SCHEMA_TYPE],
  },
  getOwnSchema: {
    method: 'get',
    path: '/auth/schema',
    auth: 'session or key',
    load: 'light',
    scope: 'users:read',
    scoped: true,
    tag: 'Schemas',
    summary: "The schema of the session's app",
    query: OwnVersionQuery,
    response: SchemaDocument,
    errors: [404],
  },
  getAppSchema: {
    ...schemaEndpoints.getAppSchema,
    query: VersionQuery.extend(FormatQuery.shape),
    downloads: [JSON_SCHEMA_TYPE],
  },
} as const satisfies Endpoints;

export const schemaReadRoutes = (schemas: SchemaService): Route[] =>
  routes(schemaReadEndpoints, {
    getSchema: async ({ principal, query }) => {
      const lease = await schemas.current(principal.sourceAppId);
      const { publicSchema } = lease;
      if (query.format === undefined) return versioned(publicSchema);
      return versionedJsonSchema({ ...lease, schema: publicSchema }, publicSchema !== lease.schema);
    },

    getOwnSchema: async ({ app, query }) => present(await schemas.ofApp(app, query.version)),

    getAppSchema: async ({ params, query, res }) => {
      if (query.format === undefined) return presentVersion(await schemas.get(params.sourceAppId, query.version), res);
      const compiled = await schemas.compiled(params.sourceAppId, query.version);
      presentVersion(compiled.schema, res);
      return new TypedJson(versionedJsonSchema(compiled).content, JSON_SCHEMA_TYPE);
    },
  });

/** Serialized JSON Schemas, with the renames that accept old keys too. */
const jsonSchemas = new WeakMap<AppSchema, { renames: CompiledVersion['renames']; reply: Versioned<string> }>();

/** @param isPart whether the public may not set all fields of the schema */
function versionedJsonSchema({ schema, validator, renames }: CompiledVersion, isPart = false): Versioned<string> {
  const known = jsonSchemas.get(schema);
  if (known && known.renames === renames) return known.reply;
  const json = JSON.stringify(toJsonSchema(schema, validator, renames, isPart));
  const reply = new Versioned(json, tagOf(json), JSON_SCHEMA_TYPE);
  jsonSchemas.set(schema, { renames, reply });
  return reply;
}
