import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { MAX_FIELDS } from '../../core/fields/definition.ts';
import {
  replacementExample,
  replacementFields,
  replaceSchema,
  schemaEndpoints,
} from '../../core/schemas/schemas.routes.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import { code } from '../../platform/languages/problems.ts';

const RenamedKey = z.string(code('notText')).regex(FIELD_KEY_PATTERN, code('notFieldKey'));

export const RenameEntry = z.strictObject({
  from: RenamedKey.meta({ example: 'name' }),
  to: RenamedKey.meta({ example: 'fullName' }),
});

export const SchemaReplacement = z
  .strictObject({
    ...replacementFields,
    renames: z
      .array(RenameEntry)
      .max(MAX_FIELDS, code('tooManyItems', { max: MAX_FIELDS }))
      .optional()
      .meta({ description: 'Fields whose stored values move to another key', example: [] }),
  })
  .meta({ id: 'SchemaReplacement', example: replacementExample });

/** Extends the replacement of the core. */
export const renameEndpoints = {
  replaceSchema: {
    ...schemaEndpoints.replaceSchema,
    description: `${schemaEndpoints.replaceSchema.description} \`renames\` moves stored values to other keys, in the background.`,
    body: jsonBody(SchemaReplacement, 'invalidSchema'),
  },
} as const satisfies Endpoints;

export const renameRoutes = (schemas: Pick<SchemaService, 'replace'>): Route[] =>
  routes(renameEndpoints, { replaceSchema: replaceSchema(schemas) });
