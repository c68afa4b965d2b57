import { z } from 'zod';
import { type Endpoints, jsonBody } from '../../api/endpoint.ts';
import { AppPath } from '../../apps/apps.contract.ts';
import { SchemaReplacement } from '../../schemas/schemas.contract.ts';

const Count = z.int().nonnegative();

/** The endpoint that checks stored records against a schema. */
export const schemaCheckEndpoints = {
  checkSchema: {
    method: 'post',
    path: '/auth/apps/:sourceAppId/schema/check',
    auth: 'session or key',
    scope: 'schema:write',
    role: 'admin or own key',
    audit: 'schema.checked',
    tag: 'Schemas',
    summary: 'Check stored records against a schema',
    description:
      'Counts the stored records that do not conform to it, newest first, for up to two seconds. `renames` count as done. Changes nothing. An API key without the scope `users:read` gets no examples, and is refused with 403 when a field restricts its values, as `regex` and `enum` do: the counts would tell stored values.',
    params: AppPath,
    body: jsonBody(SchemaReplacement, 'Invalid schema'),
    response: z.strictObject({
      checked: Count.meta({ example: 1200 }),
      failing: Count.meta({ example: 1 }),
      newlyFailing: Count.meta({ description: 'Those that conform to the schema in force', example: 1 }),
      examples: z
        .array(z.strictObject({ id: z.uuid(), email: z.string(), path: z.string(), message: z.string() }))
        .max(5)
        .meta({
          example: [
            {
              id: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57',
              email: 'ada@example.com',
              path: 'data.age',
              message: 'must be a number',
            },
          ],
        }),
      complete: z.boolean().meta({ description: 'Whether every record was checked' }),
    }),
    errors: [404],
  },
} as const satisfies Endpoints;
