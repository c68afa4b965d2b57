import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { z } from 'zod';
import { Versioned } from '../../platform/http/reply.ts';
import { parseTags } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { type AnyInput, type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { AppPath } from '../api/parameters.ts';
import type { AppPrincipal } from '../api/principal.ts';
import { FieldDefinition, FieldDefinitionInput, MAX_FIELDS } from '../fields/definition.ts';
import type { SchemaChange } from './schema-part.ts';
import type { AppSchema, VersionAuthor } from './schemas.model.ts';
import type { SchemaService } from './schemas.service.ts';

const example = {
  version: 2,
  rejectUnknown: true,
  fields: [
    { key: 'name', label: 'Your name', kind: 'text', required: true, maxLength: 100 },
    { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro'] },
  ],
} as const;

/** A schema in responses (spec 2.3). */
export const SchemaDocument = z
  .strictObject({
    version: z.int().positive(),
    rejectUnknown: z.boolean(),
    fields: z.array(FieldDefinition).max(MAX_FIELDS),
  })
  .meta({ id: 'Schema', example });

/** The members of the body of a replacement. */
export const replacementFields = {
  rejectUnknown: z.boolean(),
  fields: z.array(FieldDefinitionInput).max(MAX_FIELDS, code('tooManyItems', { max: MAX_FIELDS })),
};

/** An example of a body. */
export const replacementExample = { rejectUnknown: example.rejectUnknown, fields: example.fields };

/** What the endpoints of the schema of an app have in common. */
export const ofAnyApp = {
  auth: 'session or key',
  scope: 'schema:write',
  role: 'admin or own app',
  tag: 'Schemas',
  params: AppPath,
} as const;

export const schemaEndpoints = {
  getSchema: {
    method: 'get',
    path: '/v1/schema',
    auth: 'app id',
    tag: 'Public',
    summary: "The app's schema",
    description:
      'The newest version, for clients that generate a form from it or check data before they send it. A request with the ETag in `If-None-Match` gets 304 while the schema is unchanged.',
    response: SchemaDocument,
    responseHeaders: { ETag: 'Changes with the schema' },
    conditional: true,
  },
  getAppSchema: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/schema',
    ...ofAnyApp,
    load: 'light',
    summary: "Any app's schema",
    response: SchemaDocument,
    responseHeaders: { ETag: 'Identifies the version, for `If-Match` of the replacement' },
    errors: [404],
  },
  replaceSchema: {
    method: 'put',
    path: '/auth/apps/:sourceAppId/schema',
    ...ofAnyApp,
    load: 'light',
    audit: 'schema.replaced',
    summary: "Replace any app's schema",
    description:
      'Creates a new version; earlier versions stay readable. Stored records are not validated again. After the response every later submission is validated against the new version, on every server. With `If-Match` the replacement succeeds only if the named version is the newest; otherwise the response is 412.',
    headers: z.object({
      'if-match': z.string().optional().meta({ description: 'The ETag of the version to replace', example: '"v2"' }),
    }),
    body: jsonBody(z.strictObject(replacementFields), 'invalidSchema'),
    response: SchemaDocument,
    errors: [404, 409, 412],
  },
} as const satisfies Endpoints;

export const schemaRoutes = (schemas: SchemaService): Route[] =>
  routes(schemaEndpoints, {
    getSchema: async ({ principal }) => versioned((await schemas.current(principal.sourceAppId)).publicSchema),

    getAppSchema: async ({ params, res }) => presentVersion(await schemas.get(params.sourceAppId), res),

    replaceSchema: replaceSchema(schemas),
  });

/** What the handler of a replacement reads of its input. */
interface ReplacementInput extends Pick<AnyInput, 'until' | 'audit'> {
  principal: AppPrincipal;
  params: { sourceAppId: string };
  headers: { 'if-match'?: string | undefined };
  body: SchemaChange;
}

/** Returns the handler of a replacement. */
export function replaceSchema(schemas: Pick<SchemaService, 'replace'>) {
  return async ({ principal, params, headers, body, until, audit }: ReplacementInput): Promise<AppSchema> => {
    const options = { over: parseVersions(headers['if-match']), by: authorOf(principal), until };
    const { schema, replaced } = await schemas.replace(params.sourceAppId, body, options);
    audit({ detail: { version: schema.version }, changed: changeOf(replaced, schema) });
    return present(schema);
  };
}

/** Returns what the audit log compares. */
export function changeOf(before: AppSchema, after: AppSchema) {
  const compared = ({ rejectUnknown, fields }: AppSchema) => ({ rejectUnknown, fields });
  return { before: compared(before), after: compared(after) };
}

function authorOf(principal: AppPrincipal): VersionAuthor {
  if (principal.kind === 'key') return { author: principal.sourceAppId, key: principal.keyId };
  const account = principal.account?.id.toHexString();
  if (account === undefined) return { author: principal.sourceAppId };
  // That of an admin has no app.
  return { author: principal.own?.sourceAppId ?? account, account };
}

/** Returns the versions that an `If-Match` header names; undefined when it sets no condition. */
function parseVersions(ifMatch: string | undefined): number[] | undefined {
  return parseTags(ifMatch)?.flatMap((tag) => /^"v([1-9]\d{0,8})"$/.exec(tag)?.slice(1).map(Number) ?? []);
}

/** Presents a version with its ETag. Version 2 of an app created again is another document. */
export function presentVersion(schema: AppSchema, res: Response): AppSchema {
  res.setHeader('ETag', `"v${schema.version}"`);
  return present(schema);
}

export function present({ version, rejectUnknown, fields }: AppSchema): AppSchema {
  return { version, rejectUnknown, fields };
}

/** Serialized schemas. The leases keep one object per newest schema, so each is serialized once. */
const replies = new WeakMap<AppSchema, Versioned>();

export function versioned(schema: AppSchema): Versioned {
  let reply = replies.get(schema);
  if (!reply) {
    const json = JSON.stringify(present(schema));
    reply = new Versioned(json, tagOf(json));
    replies.set(schema, reply);
  }
  return reply;
}

/** Returns the ETag of a serialized schema. */
export const tagOf = (json: string): string =>
  `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
