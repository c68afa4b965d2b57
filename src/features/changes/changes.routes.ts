import { UUID } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, UserId } from '../../core/api/parameters.ts';
import type { Lease, SchemaLeases } from '../../core/schemas/schema-leases.ts';
import { AppNotFound, InvalidInput, Unavailable } from '../../platform/core/errors.ts';
import { component, JsonObject, Ok, Timestamp, WholeNumber } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { authorOf, Key, MAX_UNSET } from '../people/editing.ts';
import { refuseInvalid } from '../records/record-edit.ts';
import { type MatchingIds, otherCount } from '../search/matching-ids.ts';
import { queryParameters } from '../search/parameters.ts';
import type { ReadQueriedApp } from '../search/queried-app.ts';
import { parseQuery, type QueryRequest } from '../search/users.service.ts';
import { CHANGE_STATES, type ChangeDocument, type ChangeStore, MAX_ERRORS, type Pass } from './changes.model.ts';

const MAX_LISTED = 20;
/** As the most users of an export by ids. */
const MAX_IDS = 1_000;
const EXAMPLE_ID = '6923f1c05d2e4b7a9c1f0e11';

const Edit = z
  .strictObject({
    set: JsonObject.default({}).meta({ description: 'Values that replace the stored ones', example: { plan: 'pro' } }),
    unset: z.array(Key).max(MAX_UNSET).default([]).meta({ description: 'Keys to remove', example: [] }),
    ids: z
      .array(UserId)
      .min(1)
      .max(MAX_IDS)
      .optional()
      .meta({ description: 'The users to change, instead of `where` and `q`; `confirm` is their number' }),
  })
  .superRefine(({ set, unset }, context) => {
    const keys = [...Object.keys(set), ...unset];
    if (keys.length === 0) context.addIssue({ code: 'custom', path: [], message: code('noChange') });
    if (new Set(keys).size < keys.length) {
      context.addIssue({ code: 'custom', path: [], message: code('keyTwice') });
    }
  })
  .meta({ id: 'UsersChange' });

const Count = z.int().nonnegative();
const counts = {
  done: Count.meta({ description: 'The processed records', example: 42 }),
  changed: Count.meta({ example: 40 }),
  refused: Count.meta({ description: 'Records that the change could not be applied to', example: 1 }),
  errors: z
    .array(z.strictObject({ id: z.string(), message: z.string() }))
    .max(MAX_ERRORS)
    .meta({ description: `The first ${MAX_ERRORS}` }),
};

const Change = component('ChangeOfUsers', {
  id: z.string().meta({ example: EXAMPLE_ID }),
  state: z.enum(CHANGE_STATES),
  total: Count.meta({ example: 42 }),
  ...counts,
  undo: z.strictObject(counts).optional().meta({ description: 'What an undo restored; `refused`: it left them' }),
  failure: z.string().optional(),
  set: JsonObject,
  unset: z.array(z.string()),
  createdAt: Timestamp,
  endedAt: Timestamp.optional(),
});

const shared = {
  auth: 'session or key',
  scope: 'users:write',
  scoped: true,
  load: 'light',
  tag: 'Users',
} as const;
const ofOne = {
  ...shared,
  params: z.object({ id: z.string().meta({ example: EXAMPLE_ID }) }),
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

/** The endpoints of changes of many records (spec 4.3.6). */
export const changeEndpoints = {
  changeUsers: {
    ...shared,
    method: 'patch',
    path: '/auth/users',
    load: 'long',
    audit: 'users.changed',
    summary: "Change many of the session's users",
    description:
      'Begins a change of the users that match `where` and `q`, if `confirm` is their number; otherwise 409 tells their number. It runs in the background, each record is changed once.',
    query: z.strictObject({
      ...queryParameters,
      confirm: WholeNumber(0).meta({ description: 'The number of users to change', example: 42 }),
    }),
    body: jsonBody(Edit, 'invalidChange'),
    // Counts any number of records.
    slow: true,
    response: z.strictObject({ id: z.string().meta({ example: EXAMPLE_ID }) }),
    errors: [409, 429],
  },
  listChanges: {
    ...shared,
    method: 'get',
    path: '/auth/changes',
    load: 'read',
    scope: 'users:read',
    summary: 'Changes of many users',
    description: `The newest ${MAX_LISTED}, newest first.`,
    query: z.strictObject({ sourceAppId: ScopeParameter }),
    response: z.strictObject({ changes: z.array(Change) }),
  },
  getChange: {
    ...ofOne,
    method: 'get',
    path: '/auth/changes/:id',
    scope: 'users:read',
    summary: 'The progress of a change of many users',
    response: Change,
  },
  undoChange: {
    ...ofOne,
    method: 'post',
    path: '/auth/changes/:id/undo',
    audit: 'change.undone',
    summary: 'Undo a change of many users',
    description: 'Restores the values before, in the background, where those that the change set are still stored.',
    response: Ok,
    errors: [409],
  },
  stopChange: {
    ...ofOne,
    method: 'delete',
    path: '/auth/changes/:id',
    audit: 'change.stopped',
    summary: 'Stop a change of many users, or its undo',
    description: 'The batch in progress ends. What was changed stays, and can be undone.',
    response: Ok,
  },
} as const satisfies Endpoints;

export const changeRoutes = (deps: {
  store: ChangeStore;
  leases: Pick<SchemaLeases, 'hold'>;
  queried: ReadQueriedApp;
  matchingIds: MatchingIds;
  wake(): void;
}): Route[] => {
  const { store, leases, queried, matchingIds, wake } = deps;
  return routes(changeEndpoints, {
    changeUsers: async ({ app, principal, query: { confirm, ...request }, body, closed, recheck, until, audit }) => {
      const lease = await leases.hold(app.sourceAppId);
      if (!lease?.app.id.equals(app.id)) throw new AppNotFound();
      refuseFiles(body.set, lease);
      refuseInvalid(body, lease);
      await store.refuseTooMany(app.id);
      const options = { confirm, signal: closed(), undone: 'otherCountChanged' } as const;
      const { schema, slotOf } = await queried(app, request);
      const parts = body.ids
        ? namedIds(body.ids, request, options)
        : await matchingIds(app.id, parseQuery(selectionOf(request), schema), slotOf, options);
      if (!parts) throw new Unavailable();
      await recheck();
      const { set, unset } = body;
      const of = { appId: app.id, sourceAppId: app.sourceAppId, version: lease.schema.version };
      const id = await store.create({ ...of, set, unset, by: authorOf(principal, 'edit'), parts }, until);
      wake();
      audit({ target: id.toHexString(), detail: { users: confirm } });
      return { id: id.toHexString() };
    },

    listChanges: async ({ app }) => ({ changes: (await store.list(app.id, MAX_LISTED)).map(present) }),

    getChange: async ({ app, params }) => present(await store.find(app.id, params.id)),

    undoChange: async ({ app, principal, params, until }) => {
      await store.undo(app.id, params.id, authorOf(principal, 'revert'), until);
      wake();
    },

    stopChange: async ({ app, params, until }) => {
      await store.stop(app.id, params.id, until);
      wake();
    },
  });
};

/** @throws {InvalidInput} for a query beside the ids @throws {Conflict} for another number */
function namedIds(
  ids: readonly string[],
  { where, q }: QueryRequest,
  options: { confirm: number; undone: 'otherCountChanged' },
) {
  if (where !== undefined || q !== undefined) {
    throw new InvalidInput('invalidQuery', [{ path: 'where', ...say('withIds') }]);
  }
  const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (unique.length !== options.confirm) throw otherCount(unique.length, options.undone);
  return [{ uuids: Buffer.concat(unique.map((id) => new UUID(id).buffer)), others: [] }];
}

/** @throws {InvalidInput} when a request has neither conditions nor ids */
function selectionOf(request: QueryRequest): QueryRequest {
  if (request.where !== undefined || request.q !== undefined) return request;
  throw new InvalidInput('invalidQuery', [{ path: 'where', ...say('requiredWithoutIds') }]);
}

const presentPass = ({ done, changed, refused, errors }: Pass) => ({ done, changed, refused, errors });

/** The records and runs of a change are internal. */
function present({ _id, state, total, pass, undo, failure, set, unset, createdAt, endedAt }: ChangeDocument) {
  return {
    id: _id.toHexString(),
    state,
    total,
    ...presentPass(pass),
    ...(undo && { undo: presentPass(undo) }),
    ...(failure !== undefined && { failure }),
    set,
    unset,
    createdAt: createdAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}

/** @throws {InvalidInput} when a change sets a field of files */
function refuseFiles(set: Readonly<Record<string, unknown>>, { validator }: Pick<Lease, 'validator'>): void {
  const keys = Object.keys(set).filter((key) => validator.fileKeys?.has(key));
  const issues = keys.map((key) => ({ path: `data.${key}`, ...say('filesInBulk') }));
  if (issues.length > 0) throw new InvalidInput('invalidChange', issues);
}
