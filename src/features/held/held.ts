import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, UserId } from '../../core/api/parameters.ts';
import type { ScopedApp } from '../../core/api/principal.ts';
import { presentSubmitted, SubmittedUser } from '../../core/users/submissions.routes.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { InvalidInput, NotFound } from '../../platform/core/errors.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import { component, JsonObject, Ok, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { type HeldDocument, type HeldStore, HOLD_REASONS, type HoldReason } from './held.model.ts';
import type { HeldRelease } from './release.ts';

const Held = component('HeldSubmission', {
  id: UserId,
  email: z.string().meta({ example: 'ada@example.com' }),
  data: JsonObject.meta({ example: { name: 'Ada' } }),
  reason: z.enum(HOLD_REASONS),
  at: Timestamp,
});

/** The path of one entry. An id that is not a UUID is a 404 like any other unknown id. */
const HeldPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

const Scope = z.strictObject({ sourceAppId: ScopeParameter });

const shared = {
  auth: 'session or key',
  scoped: true,
  tag: 'Forms',
} as const;

const count = z.int().nonnegative();
const Counts = z
  .strictObject({
    honeypot: count,
    'no-proof': count,
    'no-captcha': count.optional(),
    'captcha-away': count.optional(),
  } satisfies Record<HoldReason, z.ZodType>)
  .meta({
    description: 'How many are held, by reason; the last two are absent while they are 0',
    example: { honeypot: 2, 'no-proof': 5 },
  });

export const heldEndpoints = {
  listHeld: {
    ...shared,
    method: 'get',
    path: '/auth/held',
    scope: 'users:read',
    audit: 'held.listed',
    summary: "The session's held submissions",
    description:
      'A page of the submissions that bot protection holds for 30 days, newest first. A page may have fewer than `limit`; `next` tells whether there are more.',
    query: z.strictObject({
      limit: PageLimit,
      cursor: z
        .string(code('notOneText'))
        .optional()
        .meta({ description: 'The `next` of the page before', example: 'AZJMnl86fBGbDi9tahyOVw' }),
      sourceAppId: ScopeParameter,
    }),
    response: z.strictObject({
      held: z.array(Held),
      next: z.string().optional().meta({ example: 'AZJMnl86fBGbDi9tahyOVw' }),
    }),
  },
  // Not audited: the answer has nothing of a person, and open pages read it again and again.
  countHeld: {
    ...shared,
    method: 'get',
    path: '/auth/held/counts',
    scope: 'users:read',
    summary: "The number of the session's held submissions",
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: z.strictObject({ counts: Counts }),
  },
  releaseHeld: {
    ...shared,
    method: 'post',
    path: '/auth/held/:id/release',
    load: 'light',
    scope: 'users:write',
    audit: 'held.released',
    summary: 'Store a held submission',
    description:
      'Stores it as if it came now, checked by the newest schema, and once, also when this is requested twice. A submission that is refused stays held.',
    params: HeldPath,
    query: Scope,
    response: SubmittedUser,
    errors: [400, 409, 413, 422],
  },
  deleteHeld: {
    ...shared,
    method: 'delete',
    path: '/auth/held/:id',
    load: 'light',
    scope: 'users:write',
    audit: 'held.deleted',
    summary: 'Delete a held submission',
    params: HeldPath,
    query: Scope,
    response: Ok,
  },
} as const satisfies Endpoints;

/** The endpoints of held submissions (spec 4.5). */
export function heldRoutes(store: HeldStore, { release }: Pick<HeldRelease, 'release'>): Route[] {
  async function find({ id: appId }: ScopedApp, id: string): Promise<HeldDocument> {
    const entry = await store.find(appId, id);
    if (!entry) throw heldNotFoundError();
    return entry;
  }

  return routes(heldEndpoints, {
    listHeld: async ({ app: { id: appId }, query: { limit, cursor } }) => {
      const { held, next } = await store.page(appId, limit, cursor === undefined ? undefined : parseCursor(cursor));
      return {
        held: held.map(({ _id, email, data, reason, at }) => ({
          id: _id.toString(),
          email,
          data,
          reason,
          at: at.toISOString(),
        })),
        ...(next && { next: Buffer.from(next.buffer).toString('base64url') }),
      };
    },

    countHeld: async ({ app }) => ({ counts: { honeypot: 0, 'no-proof': 0, ...(await store.counts(app.id)) } }),

    releaseHeld: async ({ app, params }) =>
      presentSubmitted(await release(app.sourceAppId, await find(app, params.id))),

    deleteHeld: async ({ app, params, until }) => {
      const entry = await find(app, params.id);
      if (!(await store.remove(entry, await until()))) throw heldNotFoundError();
    },
  });
}

function heldNotFoundError(): NotFound {
  return new NotFound('heldNotFound');
}

/** A cursor is the base64url form of an id. */
function parseCursor(cursor: string): RecordId {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.length === 16 && bytes.toString('base64url') === cursor && parseUuid(bytes.toString('hex'));
  if (!id) throw new InvalidInput('invalidQuery', [{ path: 'cursor', ...say('notCursor') }]);
  return id;
}
