import { z } from 'zod';
import type { Endpoints } from '../api/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../api/validation.ts';
import { SourceAppId } from '../apps/apps.contract.ts';
import { FIELD_KEY_PATTERN } from '../fields/kind.ts';
import { exportFormats } from './export/export.ts';

/** Spec 8. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

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

/** A record named by a path. One of a wrong form cannot exist, so it is a 404 like any other that does not. */
const UserPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

const Limit = WholeNumber(1).transform((limit) => Math.min(limit, MAX_LIMIT));
const limitMeta = {
  description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}. Without it ${DEFAULT_LIMIT}`,
  example: 50,
};
const skipMeta = { description: 'How many to leave out', example: 0 };
const PageLimit = z.int().min(1).max(MAX_LIMIT);
const PageSkip = z.int().nonnegative();

const ONE_TEXT = 'must be one text';
const SORT = new RegExp(`^(?:createdAt|updatedAt|email|data\\.${FIELD_KEY_PATTERN.source.slice(1, -1)})$`);

/** Which of an app's records are meant. */
const filterParameters = {
  search: z
    .string(ONE_TEXT)
    .max(100, 'must have at most 100 characters')
    .optional()
    .meta({ description: 'A part of the email, in any case', example: 'ada@' }),
  field: z
    .string(ONE_TEXT)
    .regex(FIELD_KEY_PATTERN, 'must be a field key')
    .optional()
    .meta({ description: 'Only records whose `data` has `value` in this field; the two go together', example: 'plan' }),
  value: z.string(ONE_TEXT).optional().meta({
    description: 'The text that `field` must hold; also the number, `true` or `false` that it spells',
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

export const userEndpoints = {
  listUsers: {
    method: 'get',
    path: '/auth/users',
    access: 'session',
    tag: 'Users',
    summary: "The session's users",
    description:
      "Without parameters: all users of the session's app, newest first, streamed; a session may have 8 of these and exports under way. With any of them: a page of those that match, with the `total` of matches. Ties are broken by id.",
    query: z
      .strictObject({
        limit: Limit.optional().meta(limitMeta),
        skip: WholeNumber(0).optional().meta(skipMeta),
        ...filterParameters,
        sort: z.string(ONE_TEXT).regex(SORT, 'must be createdAt, updatedAt, email or data.<key>').optional().meta({
          description: '`createdAt`, `updatedAt`, `email` or `data.<key>`. Without it `createdAt`',
          example: 'email',
        }),
        order: z.enum(['asc', 'desc'], 'must be asc or desc').optional().meta({
          description: 'Without it `desc` for times and `asc` for the rest',
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
    access: 'session',
    tag: 'Users',
    summary: "The session's users as a file",
    description:
      "The users of the session's app, or those that match, newest first, written while they are read. `csv` has a column for each field of the newest schema and one for what records hold besides; `ndjson` is one user a line.",
    query: z
      .strictObject({
        format: z
          .enum(exportFormats, 'must be csv, ndjson or json')
          .default('csv')
          .meta({ description: 'Without it `csv`', example: 'csv' }),
        bom: z.literal('true', 'must be true').optional().meta({
          description:
            'Begins a CSV file with the UTF-8 byte order mark, without which some spreadsheets misread non-ASCII text',
          example: 'true',
        }),
        ...filterParameters,
      })
      .superRefine(checkFieldAndValue)
      .superRefine(checkBom),
    // A filter that matches little may read for long before there is anything to send.
    slow: true,
    response: z.array(User),
    downloads: ['text/csv', 'application/x-ndjson'],
    responseHeaders: { 'Content-Disposition': 'An attachment, named by the app and the date' },
    errors: [404, 429],
  },
  getUser: {
    method: 'get',
    path: '/auth/users/:id',
    access: 'session',
    tag: 'Users',
    summary: "One of the session's users",
    params: UserPath,
    response: User,
    errors: [404],
  },
  eraseUser: {
    method: 'delete',
    path: '/auth/users/:id',
    access: 'session',
    tag: 'Users',
    summary: "Erase one of the session's users",
    description: 'Permanent. A later submission of the same email makes a new record.',
    params: UserPath,
    response: z.strictObject({ ok: z.literal(true) }),
    errors: [404],
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
