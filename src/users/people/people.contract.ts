import { z } from 'zod';
import { type Endpoints, jsonBody } from '../../api/endpoint.ts';
import { Timestamp } from '../../api/validation.ts';
import { ScopeParameter } from '../query/query-parameters.ts';

const Email = z.string('must be a text').max(1_000, 'is too long').meta({ example: 'ada@example.com' });
const Scope = z.strictObject({ sourceAppId: ScopeParameter });

const Entry = z
  .looseObject({
    kind: z.string().meta({
      description: '`record`, `held`, `delivery`, `mail`, `import-line`, `import-reject`, `suppression`',
      example: 'record',
    }),
    sourceAppId: z.string().optional(),
  })
  .meta({ id: 'PersonEntry' });

/** The endpoints for the data of one person (spec 4.6). */
export const peopleEndpoints = {
  exportPerson: {
    method: 'post',
    path: '/auth/people/export',
    auth: 'session or key',
    load: 'long',
    scope: 'export',
    audit: 'person.exported',
    tag: 'People',
    summary: 'Everything that is held of a person',
    description:
      "In the session's app; for admins in all apps, or in the one that `sourceAppId` names. One JSON document, streamed.",
    query: Scope,
    body: jsonBody(z.strictObject({ email: Email })),
    // Reads all apps.
    slow: true,
    response: z.strictObject({ entries: z.array(Entry), email: z.string(), at: Timestamp }),
    errors: [404, 429],
  },
  erasePerson: {
    method: 'post',
    path: '/auth/people/erase',
    auth: 'session or key',
    load: 'long',
    scope: 'users:write',
    audit: 'person.erased',
    tag: 'People',
    summary: 'Erase everything that is held of a person',
    description:
      "Permanent. In the session's app; for admins in all apps, or in the one that `sourceAppId` names. With `suppress` a keyed hash of the email is kept, so that no import brings the person back.",
    query: Scope,
    body: jsonBody(z.strictObject({ email: Email, suppress: z.boolean('must be true or false').default(false) })),
    slow: true,
    response: z
      .strictObject({
        id: z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }),
        at: Timestamp,
        erased: z
          .record(z.string(), z.int().nonnegative())
          .meta({ description: 'The erased documents by kind', example: { records: 1, held: 0, deliveries: 4 } }),
      })
      .meta({ id: 'ErasureReceipt' }),
    errors: [404, 429],
  },
} as const satisfies Endpoints;
