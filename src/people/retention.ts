import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import type { AppScope } from '../apps/app-scope.ts';
import { AppPath } from '../apps/apps.contract.ts';
import { type AppCollection, NOT_BEING_DELETED, type Retention } from '../apps/apps.model.ts';
import { AppNotFound, Conflict } from '../core/errors.ts';

const MAX_DAYS = 36_500;
const DAYS = `must be a whole number from 1 to ${MAX_DAYS}`;

const RetentionBody = z
  .strictObject({
    days: z.int(DAYS).min(1, DAYS).max(MAX_DAYS, DAYS).meta({ example: 365 }),
    basis: z.enum(['createdAt', 'updatedAt'], 'must be createdAt or updatedAt').meta({ example: 'updatedAt' }),
  })
  .meta({ id: 'Retention' })
  .nullable();

/** The endpoints of the retention of records (spec 4.6). */
export const retentionEndpoints = {
  getRetention: {
    method: 'get',
    path: '/auth/apps/:sourceAppId/retention',
    auth: 'session',
    scope: 'manage',
    load: 'light',
    tag: 'People',
    summary: 'When records of an app are erased for their age',
    description: 'For the operators of the app and for admins. Null: never.',
    params: AppPath,
    response: RetentionBody,
    errors: [404],
  },
  replaceRetention: {
    method: 'put',
    path: '/auth/apps/:sourceAppId/retention',
    auth: 'session',
    scope: 'manage',
    load: 'light',
    audit: 'retention.replaced',
    tag: 'People',
    summary: 'Set when records of an app are erased for their age',
    description:
      'For the operators of the app and for admins. Records that are older than `days` are erased within an hour, permanently; null ends that.',
    params: AppPath,
    body: jsonBody(RetentionBody, 'Invalid retention'),
    response: RetentionBody,
    errors: [404, 409],
  },
} as const satisfies Endpoints;

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** The retention settings in the documents of apps. An app that is being deleted has none. */
export function createRetentionStore(apps: AppCollection) {
  return {
    /** Resolves with the retention of an app; null: records are kept. @throws {NotFound} */
    async get(_id: ObjectId): Promise<Retention | null> {
      const app = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { retention: 1 } });
      if (!app) throw new AppNotFound();
      return app.retention ?? null;
    },

    /**
     * Changes nothing if the setting changed since this began: a late update must not erase by it.
     * @throws {NotFound} @throws {Conflict} when it was replaced meanwhile
     */
    async replace(_id: ObjectId, retention: Retention | null): Promise<void> {
      const app = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { retention: 1 } });
      if (!app) throw new AppNotFound();
      const update = retention ? { $set: { retention } } : { $unset: { retention: 1 as const } };
      const isUnchanged = { retention: app.retention ?? { $exists: false } };
      const { matchedCount } = await apps.updateOne({ _id, ...NOT_BEING_DELETED, ...isUnchanged }, update);
      if (matchedCount === 0) throw new Conflict('The retention was changed meanwhile; look at it again');
    },

    /** Resolves with the retention; undefined: records are kept, or the app is deleted. */
    async of(_id: ObjectId): Promise<Retention | undefined> {
      const app = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { retention: 1 } });
      return app?.retention;
    },

    /** Resolves with the ids of the apps whose records are erased for their age. */
    async appIds(): Promise<ObjectId[]> {
      const filter = { 'retention.days': { $gt: 0 }, ...NOT_BEING_DELETED };
      const found = await apps.find(filter, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },
  };
}

/** The endpoints of the retention of records (spec 4.6). */
export const retentionRoutes = (retention: RetentionStore, scope: AppScope): Route[] =>
  routes(retentionEndpoints, {
    getRetention: async ({ principal, params }) => {
      const { id } = await scope(principal, params.sourceAppId);
      return retention.get(id);
    },

    replaceRetention: async ({ principal, params, body }) => {
      const { id } = await scope(principal, params.sourceAppId);
      await retention.replace(id, body);
      return body;
    },
  });
