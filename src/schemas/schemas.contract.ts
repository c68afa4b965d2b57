import { z } from 'zod';
import { AppPath } from '../apps/apps.contract.ts';
import { FieldDefinition, FieldDefinitionInput, MAX_FIELDS } from '../fields/definition.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { WholeNumber } from '../http/validation.ts';

const example = {
  version: 2,
  rejectUnknown: true,
  fields: [
    { key: 'name', label: 'Your name', kind: 'text', required: true, maxLength: 100 },
    { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['free', 'pro'] },
  ],
} as const;

/** SPEC 2.3. */
const SchemaDocument = z
  .strictObject({
    version: z.int().positive(),
    rejectUnknown: z.boolean(),
    fields: z.array(FieldDefinition).max(MAX_FIELDS),
  })
  .meta({ id: 'Schema', example });

const SchemaReplacement = z
  .strictObject({
    rejectUnknown: z.boolean(),
    fields: z.array(FieldDefinitionInput).max(MAX_FIELDS, `must have at most ${MAX_FIELDS} entries`),
  })
  .meta({ id: 'SchemaReplacement', example: { rejectUnknown: example.rejectUnknown, fields: example.fields } });

export const schemaEndpoints = {
  getSchema: {
    method: 'get',
    path: '/v1/schema',
    access: 'app',
    tag: 'Public',
    summary: "The app's schema",
    description:
      'The newest version, for a client that builds its form from it. Send the ETag back in `If-None-Match` to be told 304 when nothing changed.',
    response: SchemaDocument,
    responseHeaders: { ETag: 'Changes with the schema' },
    conditional: true,
    errors: [],
  },
  getAppSchema: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/schema',
    access: 'admin',
    tag: 'Schemas',
    summary: "Any app's schema",
    params: AppPath,
    query: z.strictObject({
      version: WholeNumber(1)
        .optional()
        .meta({ description: 'An earlier version; without it the newest', example: '1' }),
    }),
    response: SchemaDocument,
    errors: [400, 404],
  },
  replaceSchema: {
    method: 'put',
    path: '/auth/apps/:sourceAppId/schema',
    access: 'admin',
    tag: 'Schemas',
    summary: "Replace any app's schema",
    description:
      'Makes a new version; earlier ones stay readable. Stored records are not checked again. When this has answered, every later submission is checked against the new version, on every server.',
    params: AppPath,
    body: SchemaReplacement,
    bodyMessage: 'Invalid schema',
    response: SchemaDocument,
    errors: [404],
  },
} as const satisfies Endpoints;
