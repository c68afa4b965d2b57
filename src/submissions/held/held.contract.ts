import { z } from 'zod';
import type { Endpoints } from '../../api/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../../api/validation.ts';
import { ScopeParameter } from '../../users/query/query-parameters.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, RecordId } from '../../users/users.contract.ts';
import { SubmittedUser } from '../submissions.contract.ts';
import { HOLD_REASONS, type HoldReason } from './held.model.ts';

const Held = z
  .strictObject({
    id: RecordId,
    email: z.string().meta({ example: 'ada@example.com' }),
    data: JsonObject.meta({ example: { name: 'Ada' } }),
    reason: z.enum(HOLD_REASONS),
    at: Timestamp,
  })
  .meta({ id: 'HeldSubmission' });

/** The path of one entry. An id that is not a UUID is a 404 like any other unknown id. */
const HeldPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

const Scope = z.strictObject({ sourceAppId: ScopeParameter });

/** The endpoints for held submissions (spec 4.5). */
export const heldEndpoints = {
  listHeld: {
    method: 'get',
    path: '/auth/held',
    auth: 'session or key',
    scope: 'users:read',
    audit: 'held.listed',
    tag: 'Forms',
    summary: "The session's held submissions",
    description:
      'A page of the submissions that bot protection holds for 30 days, newest first. A page may have fewer than `limit`; `next` tells whether there are more.',
    query: z.strictObject({
      limit: WholeNumber(1)
        .transform((limit) => Math.min(limit, MAX_LIMIT))
        .default(DEFAULT_LIMIT)
        .meta({
          description: `At most ${MAX_LIMIT}; more counts as ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}`,
          example: 50,
        }),
      cursor: z
        .string('must be one text')
        .optional()
        .meta({ description: 'The `next` of the page before', example: 'AZJMnl86fBGbDi9tahyOVw' }),
      counts: z
        .literal('true', 'must be true')
        .optional()
        .meta({ description: 'Whether the answer has the number of all held submissions', example: 'true' }),
      sourceAppId: ScopeParameter,
    }),
    response: z.strictObject({
      held: z.array(Held),
      counts: z
        .strictObject(
          Object.fromEntries(HOLD_REASONS.map((reason) => [reason, z.int().nonnegative()])) as Record<
            HoldReason,
            z.ZodInt
          >,
        )
        .optional()
        .meta({ description: 'How many are held, by reason', example: { honeypot: 2, 'no-proof': 5 } }),
      next: z.string().optional().meta({ example: 'AZJMnl86fBGbDi9tahyOVw' }),
    }),
    errors: [404],
  },
  releaseHeld: {
    method: 'post',
    path: '/auth/held/:id/release',
    auth: 'session or key',
    load: 'light',
    scope: 'users:write',
    audit: 'held.released',
    tag: 'Forms',
    summary: 'Store a held submission',
    description:
      'Stores it as if it came now, checked by the newest schema, and once, also when this is requested twice. A submission that is refused stays held.',
    params: HeldPath,
    query: Scope,
    response: SubmittedUser,
    errors: [400, 404, 409, 413, 422],
  },
  deleteHeld: {
    method: 'delete',
    path: '/auth/held/:id',
    auth: 'session or key',
    load: 'light',
    scope: 'users:write',
    audit: 'held.deleted',
    tag: 'Forms',
    summary: 'Delete a held submission',
    params: HeldPath,
    query: Scope,
    response: z.strictObject({ ok: z.literal(true) }),
    errors: [404],
  },
} as const satisfies Endpoints;
