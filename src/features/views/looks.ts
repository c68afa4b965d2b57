import { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import type { Connection } from '../../platform/database/client.ts';
import { isDuplicateKey } from '../../platform/database/failures.ts';
import { type Guard, insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { createModel, type DocumentOf, type Model, schema } from '../../platform/database/mongoose.ts';
import { Ok, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { ViewOwner } from './views.model.ts';
import { ownerOf } from './views.service.ts';

/** The lists in which the dashboard marks what is new. */
const LISTS = ['users', 'inbox'] as const;
type List = (typeof LISTS)[number];

/** The newest time that an account has seen in a list of an app. */
const lookSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    owner: { type: String, required: true },
    accountId: ObjectId,
    list: { type: String, required: true, enum: LISTS },
    at: { type: Date, required: true },
  },
  { collection: 'looks', placement: 'at most two for each account of an app' },
)
  .index({ appId: 1, owner: 1, list: 1 }, { unique: true })
  .index({ accountId: 1 }, { partialFilterExpression: { accountId: { $exists: true } } });

type LookDocument = DocumentOf<typeof lookSchema>;

export const createLookModel = (connection: Connection): Model<LookDocument> => createModel(connection, lookSchema);

const LOOK_BYTES = 200;

type LookStore = ReturnType<typeof createLookStore>;

/** The last looks of accounts, and of the log-ins with the password of an app. */
export function createLookStore(looks: Model<LookDocument>) {
  return {
    /** Resolves with the stored times of an owner in an app, by list. */
    async of(appId: ObjectId, { owner }: ViewOwner): Promise<Partial<Record<List, Date>>> {
      const found = await looks.find({ appId, owner });
      return Object.fromEntries(found.map(({ list, at }) => [list, at]));
    },

    /** Stores a time, unless a later one is stored. @param guard the account that has to exist */
    async note(appId: ObjectId, owner: ViewOwner, list: List, at: Date, guard?: Guard<{ _id: ObjectId }>) {
      const grow = () => looks.updateOne({ appId, owner: owner.owner, list }, { $max: { at } });
      if ((await grow()).matchedCount > 0) return;
      const look = { _id: new ObjectId(), appId, ...owner, list, at };
      try {
        // By the collection: `$merge`.
        if (guard) await insertGuarded(guard, insertTarget(looks.collection), [look], () => LOOK_BYTES);
        else await looks.insertOne(look);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        await grow();
      }
    },

    /** Removes those of an account that is being erased. */
    async forgetAccount(accountId: ObjectId): Promise<void> {
      await looks.deleteMany({ accountId });
    },
  };
}

const shared = {
  path: '/auth/looks',
  auth: 'session',
  scope: 'users:read',
  scoped: true,
  load: 'light',
  tag: 'Users',
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

const Looks = z
  .strictObject({ users: Timestamp, inbox: Timestamp })
  .partial()
  .meta({ id: 'Looks', description: 'By list; absent: none was stored', example: {} });

const Look = z
  .strictObject({ list: z.enum(LISTS), at: z.iso.datetime({ precision: 3, error: code('notDay') }) })
  .meta({ id: 'Look', example: { list: 'inbox', at: '2026-01-31T08:30:00.000Z' } });

/** The endpoints of looks (spec 4.3.4). No API key may call them. */
export const lookEndpoints = {
  listLooks: {
    ...shared,
    method: 'get',
    summary: 'The newest times that the caller has seen in the lists of an app',
    response: Looks,
  },
  noteLook: {
    ...shared,
    method: 'put',
    summary: 'Store the newest time that the caller has seen in a list of an app',
    description: 'A time before the stored one changes nothing. A time in the future counts as now.',
    body: jsonBody(Look),
    response: Ok,
  },
} as const satisfies Endpoints;

export const lookRoutes = (
  looks: LookStore,
  accounts: { guard(id: ObjectId): Guard<{ _id: ObjectId }>; settle(id: ObjectId): Promise<void> },
): Route[] =>
  routes(lookEndpoints, {
    listLooks: async ({ app, principal }) => {
      const found = Object.entries(await looks.of(app.id, ownerOf(principal)));
      return Object.fromEntries(found.map(([list, at]) => [list, at.toISOString()]));
    },

    noteLook: async ({ app, principal, body: { list, at } }) => {
      const owner = ownerOf(principal);
      const { accountId } = owner;
      const time = new Date(Math.min(Date.parse(at), Date.now()));
      await looks.note(app.id, owner, list, time, accountId && accounts.guard(accountId));
      // The account may have been erased meanwhile.
      if (accountId) await accounts.settle(accountId);
    },
  });
