import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../api/validation.ts';
import { SourceAppId } from '../apps/apps.contract.ts';
import { FIELD_KEY_PATTERN } from '../fields/kind.ts';
import { exportFormats } from './export/export.ts';

/** The default and the maximum of `limit` (spec 8). */
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

/** The id of a user record (spec 2.1). */
export const RecordId = z.uuid().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' });
const Email = z.string().meta({ example: 'ada@example.com' });
const Data = JsonObject.meta({ example: { name: 'Ada' } });

const userFields = {
  email: Email,
  data: Data,
  schemaVersion: z.int().positive().meta({ example: 1 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

const User = z.strictObject({ id: RecordId, ...userFields }).meta({ id: 'User' });

/** One change of a consent (spec 2.8). */
const ConsentEntry = z
  .strictObject({
    key: z.string().meta({ description: 'The key of the consent field', example: 'terms' }),
    given: z.boolean().meta({ description: '`true`: given; `false`: withdrawn' }),
    at: Timestamp.meta({ description: 'When the submission was received' }),
    version: z.string().meta({ description: 'The version of the text', example: '2026-01' }),
    schemaVersion: z.int().positive().meta({ example: 1 }),
    label: z.string().meta({ description: 'The label of the field', example: 'I accept the terms' }),
    page: z.string().optional().meta({
      description: 'The page with the form, without query and fragment, if known',
      example: 'https://example.com/sign-up',
    }),
  })
  .meta({ id: 'ConsentEntry' });

const DetailedUser = z
  .strictObject({
    ...{ id: RecordId, ...userFields },
    consents: z
      .array(ConsentEntry)
      .optional()
      .meta({ description: 'The changes of consents, oldest first; only in records that have any' }),
  })
  .meta({ id: 'DetailedUser' });

/** The path of one record. An id that is not a UUID is a 404 like any other unknown id. */
const UserPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

const Limit = WholeNumber(1).transform((limit) => Math.min(limit, MAX_LIMIT));
const limitMeta = {
  description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}`,
  example: 50,
};
const skipMeta = { description: 'The number of users to skip', example: 0 };
const PageLimit = z.int().min(1).max(MAX_LIMIT);
const PageSkip = z.int().nonnegative();

const SINGLE_TEXT = 'must be one text';
const SORT = new RegExp(`^(?:createdAt|updatedAt|email|data\\.${FIELD_KEY_PATTERN.source.slice(1, -1)})$`);

/** The query parameters that select records of an app. */
const filterParameters = {
  search: z
    .string(SINGLE_TEXT)
    .max(100, 'must have at most 100 characters')
    .optional()
    .meta({ description: 'A part of the email, case-insensitive', example: 'ada@' }),
  field: z
    .string(SINGLE_TEXT)
    .regex(FIELD_KEY_PATTERN, 'must be a field key')
    .optional()
    .meta({ description: 'Only records whose `data` has `value` in this field; requires `value`', example: 'plan' }),
  value: z.string(SINGLE_TEXT).optional().meta({
    description: 'The value of `field`: the text, or the number, `true` or `false` that it spells',
    example: 'pro',
  }),
};

function checkFieldAndValue(
  { field, value }: { field?: string | undefined; value?: string | undefined },
  context: z.RefinementCtx,
) {
  if (field !== undefined && value === undefined)
    context.addIssue({ code: 'custom', path: ['value'], message: 'is required with field' });
  if (field === undefined && value !== undefined)
    context.addIssue({ code: 'custom', path: ['field'], message: 'is required with value' });
}

function checkBom({ format, bom }: { format: string; bom?: string | undefined }, context: z.RefinementCtx) {
  if (bom !== undefined && format !== 'csv')
    context.addIssue({ code: 'custom', path: ['bom'], message: 'is for csv only' });
}

/** The endpoints for user records (spec 4.3 and 4.4). */
export const userEndpoints = {
  listUsers: {
    method: 'get',
    path: '/auth/users',
    auth: 'session',
    tag: 'Users',
    summary: "The session's users",
    description:
      "Without parameters: all users of the session's app, newest first, streamed; a session may have 8 concurrent unpaged listings and exports. With any parameter: a page of the matching users, with the `total` number of matches. Ties are broken by id.",
    query: z
      .strictObject({
        limit: Limit.optional().meta(limitMeta),
        skip: WholeNumber(0).optional().meta(skipMeta),
        ...filterParameters,
        sort: z.string(SINGLE_TEXT).regex(SORT, 'must be createdAt, updatedAt, email or data.<key>').optional().meta({
          description: '`createdAt`, `updatedAt`, `email` or `data.<key>`. Default: `createdAt`',
          example: 'email',
        }),
        order: z.enum(['asc', 'desc'], 'must be asc or desc').optional().meta({
          description: 'Default: `desc` for times, `asc` for all others',
          example: 'asc',
        }),
      })
      .superRefine(checkFieldAndValue),
    response: z.union([
      z.strictObject({ users: z.array(User) }),
      z.strictObject({ users: z.array(User), total: z.int().nonnegative(), limit: PageLimit, skip: PageSkip }),
    ]),
    errors: [429],
  },
  exportUsers: {
    method: 'get',
    path: '/auth/users/export',
    auth: 'session',
    tag: 'Users',
    summary: "The session's users as a file",
    description:
      "The users of the session's app, or those that match, newest first, streamed. `csv` has a column for each field of the newest schema and one for the other keys of `data`; `ndjson` has one user per line.",
    query: z
      .strictObject({
        format: z
          .enum(exportFormats, 'must be csv, ndjson or json')
          .default('csv')
          .meta({ description: 'Default: `csv`', example: 'csv' }),
        bom: z.literal('true', 'must be true').optional().meta({
          description:
            'Begins a CSV file with the UTF-8 byte order mark, without which some spreadsheets misread non-ASCII text',
          example: 'true',
        }),
        ...filterParameters,
      })
      .superRefine(checkFieldAndValue)
      .superRefine(checkBom),
    // A filter with few matches may read many records before the first byte is sent.
    slow: true,
    response: z.array(User),
    downloads: ['text/csv', 'application/x-ndjson'],
    responseHeaders: { 'Content-Disposition': 'An attachment, named after the app and the date' },
    errors: [404, 429],
  },
  getUser: {
    method: 'get',
    path: '/auth/users/:id',
    auth: 'session',
    tag: 'Users',
    summary: "One of the session's users",
    params: UserPath,
    response: DetailedUser,
    errors: [404],
  },
  eraseUser: {
    method: 'delete',
    path: '/auth/users/:id',
    auth: 'session',
    tag: 'Users',
    summary: "Erase one of the session's users",
    description: 'Permanent. A later submission of the same email creates a new record.',
    params: UserPath,
    response: z.strictObject({ ok: z.literal(true) }),
    errors: [404],
  },
  listAllUsers: {
    method: 'get',
    path: '/auth/admin/users',
    auth: 'session',
    role: 'admin',
    tag: 'Users',
    summary: 'Users across all apps',
    description: 'A page of users of all apps, or of one, newest first.',
    query: z.strictObject({
      sourceAppId: SourceAppId.optional().meta({ description: 'Only the users of this app' }),
      limit: Limit.default(DEFAULT_LIMIT).meta(limitMeta),
      skip: WholeNumber(0).default(0).meta(skipMeta),
    }),
    response: z.strictObject({
      users: z.array(
        z.strictObject({ id: RecordId, sourceAppId: SourceAppId, ...userFields }).meta({ id: 'UserOfApp' }),
      ),
      limit: PageLimit,
      skip: PageSkip,
    }),
    errors: [400],
  },
} as const satisfies Endpoints;
