import { z } from 'zod';
import { SourceAppId } from '../apps/apps.contract.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../http/validation.ts';

/** SPEC section 8. */
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const RecordId = z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' });
const Email = z.string().meta({ example: 'ada@example.com' });
const Data = JsonObject.meta({ example: { name: 'Ada' } });

const Submission = z
  .strictObject({ email: z.string('must be a text'), data: JsonObject.optional() })
  .meta({ id: 'Submission', example: { email: 'Ada@Example.com', data: { name: 'Ada' } } });

const SubmittedUser = z
  .strictObject({ id: RecordId, createdAt: Timestamp, updatedAt: Timestamp })
  .meta({ id: 'SubmittedUser' });

const userFields = {
  email: Email,
  data: Data,
  schemaVersion: z.int().positive().meta({ example: 1 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const userEndpoints = {
  submitUser: {
    method: 'post',
    path: '/v1/users',
    access: 'app',
    tag: 'Public',
    summary: 'Submit a user record',
    description:
      "Creates the record of that email, or changes it: fields sent replace, fields not sent stay, items of array fields are appended. When this has answered 200 the submission is on disk. A request that got no answer, or a 503, can be sent again with the same `Idempotency-Key` and is applied once. `data` must conform to the app's schema.",
    headers: z.object({
      'idempotency-key': z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
        .optional()
        .meta({
          description: 'A text of your own making, one for each submission',
          example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
        }),
    }),
    body: Submission,
    bodyMessage: 'Invalid submission',
    limit: 'submit',
    response: SubmittedUser,
    errors: [409, 422, 429],
  },
  listUsers: {
    method: 'get',
    path: '/auth/users',
    access: 'session',
    tag: 'Users',
    summary: "The session's users",
    description: "All users of the session's app, newest first, streamed.",
    response: z.strictObject({ users: z.array(z.strictObject({ id: RecordId, ...userFields }).meta({ id: 'User' })) }),
    errors: [],
  },
  listAllUsers: {
    method: 'get',
    path: '/auth/admin/users',
    access: 'admin',
    tag: 'Users',
    summary: 'Users across all apps',
    description: 'A page of users of all apps, or of one, newest first.',
    query: z.strictObject({
      sourceAppId: SourceAppId.optional().meta({ description: 'Only the users of this app' }),
      limit: WholeNumber(1)
        .transform((limit) => Math.min(limit, MAX_LIMIT))
        .default(DEFAULT_LIMIT)
        .meta({ description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}`, example: '50' }),
      skip: WholeNumber(0).default(0).meta({ description: 'How many to leave out', example: '0' }),
    }),
    response: z.strictObject({
      users: z.array(
        z.strictObject({ id: RecordId, sourceAppId: SourceAppId, ...userFields }).meta({ id: 'UserOfApp' }),
      ),
      limit: z.int().min(1).max(MAX_LIMIT),
      skip: z.int().nonnegative(),
    }),
    errors: [400],
  },
} as const satisfies Endpoints;
