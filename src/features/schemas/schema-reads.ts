import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { AppService } from '../../core/apps/apps.service.ts';
import { compileSchema } from '../../core/fields/compile.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { AppSchema } from '../../core/schemas/schemas.model.ts';
import {
  present,
  presentVersion,
  SchemaDocument,
  schemaEndpoints,
  tagOf,
  versioned,
} from '../../core/schemas/schemas.routes.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
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
    tool: true,
    tag: 'Schemas',
    summary: "The schema of the session's app",
    query: OwnVersionQuery,
    response: SchemaDocument,
  },
  getAppSchema: {
    ...schemaEndpoints.getAppSchema,
    query: VersionQuery.extend(FormatQuery.shape),
    downloads: [JSON_SCHEMA_TYPE],
  },
} as const satisfies Endpoints;

export function schemaReadRoutes({ service: schemas, leases }: Schemas, apps: Pick<AppService, 'get'>): Route[] {
  /** Resolves with any app's newest schema, or that `version`, compiled. @throws {NotFound} */
  async function compiled(sourceAppId: string, version?: number): Promise<CompiledVersion> {
    const app = await apps.get(sourceAppId);
    // Of the newest version it is compiled already, which takes up to 40 ms.
    const lease = version === undefined ? await leases.hold(sourceAppId) : undefined;
    if (lease) return lease;
    const { schema, moving } = await schemas.stored(app, version);
    return { schema, validator: compileSchema(schema), renames: moving };
  }

  return routes(schemaReadEndpoints, {
    getSchema: async ({ principal, query }) => {
      const lease = await schemas.current(principal.sourceAppId);
      const { publicSchema } = lease;
      if (query.format === undefined) return versioned(publicSchema);
      return versionedJsonSchema({ ...lease, schema: publicSchema }, publicSchema !== lease.schema);
    },

    getOwnSchema: async ({ app, query }) => present(await schemas.ofApp(app, query.version)),

    getAppSchema: async ({ params, query, res }) => {
      if (query.format === undefined) return presentVersion(await schemas.get(params.sourceAppId, query.version), res);
      const version = await compiled(params.sourceAppId, query.version);
      presentVersion(version.schema, res);
      return new TypedJson(versionedJsonSchema(version).content, JSON_SCHEMA_TYPE);
    },
  });
}

/** A version of a schema. `renames`: those whose values are being moved. */
type CompiledVersion = Pick<Lease, 'schema' | 'validator' | 'renames'>;

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
