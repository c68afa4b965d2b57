import type { ObjectId } from 'mongodb';
import type { OriginCheck } from '../../core/api/endpoint.ts';
import type { App } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';
import { createAccumulator } from '../../platform/core/accumulator.ts';
import { APP_ID_PATTERN } from '../../platform/core/identifiers.ts';
import { isOrigin } from '../../platform/core/web-origin.ts';
import { type DocumentOf, type MembersOf, schema } from '../../platform/database/mongoose.ts';
import { allowsOrigin } from './form-settings.ts';

const FORM_PATH = /^\/v1\/forms\/([^/]+)/;
/** An origin that an app does not list. `null`: that of a file, or none. */
const originSchema = schema({
  origin: { type: String, required: true },
  count: { type: Number, required: true },
  lastAt: { type: Date, required: true },
});
export type CountedOrigin = DocumentOf<typeof originSchema>;

const members = {
  /** The latest origins with refused requests. */
  refusedOrigins: [originSchema],
  /** The latest origins of refused redirects. */
  ignoredRedirects: [originSchema],
} as const;

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
}

/** The origins that an app does not list. */
export const originPart: AppPart = { members };

/** Creates the check of whether pages of an origin may call the endpoints of an app (spec 5.3). */
export function createAppOrigins(deps: {
  apps: AppModel;
  findApp(sourceAppId: string): Promise<App | undefined>;
  refused: Pick<OriginCounts, 'note'>;
}): OriginCheck {
  /** Resolves with whether the app lists the origin. Counts a refusal. */
  async function allows(sourceAppId: string, origin: string): Promise<boolean> {
    const app = await deps.findApp(sourceAppId);
    if (!app) return false;
    if (app.form && allowsOrigin(app.form, origin)) return true;
    deps.refused.note(app.id, origin);
    return false;
  }

  /** Resolves with whether any app lists the origin: preflights do not contain the app id. */
  async function isListedByAny(origin: string): Promise<boolean> {
    const filter = origin === 'null' ? { 'form.nullOrigin': true } : { 'form.origins': { $in: [origin, '*'] } };
    // By the collection: on the path of a submission.
    return (await deps.apps.collection.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  /** The app is in the path of the request, or in `x-app-id`. */
  return async (req, origin) => {
    const [, inPath] = FORM_PATH.exec(req.path) ?? [];
    const sourceAppId = inPath === undefined ? req.headers['x-app-id'] : decodeURIComponent(inPath);
    if (sourceAppId === undefined) return req.method === 'OPTIONS' && isListedByAny(origin);
    const isAppId = typeof sourceAppId === 'string' && APP_ID_PATTERN.test(sourceAppId);
    return isAppId && allows(sourceAppId, origin);
  };
}

/** The most origins of one kind and app; those noted least recently are dropped. */
const MAX_COUNTED_ORIGINS = 20;
/** The most pairs of app and origin in memory; others are not counted until the next write. */
const MAX_PENDING = 1_000;
const WRITE_EVERY_MS = 1_000;
/** Longer origins are not kept. A DNS name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 270;

export type OriginCounts = ReturnType<typeof createOriginCounts>;

/**
 * Counts origins that an app does not list, for its operator: of refused requests
 * (`refusedOrigins`) and of refused redirects (`ignoredRedirects`). A flood of requests costs one
 * write per second and app; memory and documents stay bounded.
 */
export function createOriginCounts(apps: AppModel, member: 'refusedOrigins' | 'ignoredRedirects') {
  const counts = createAccumulator<{ appId: ObjectId; counted: CountedOrigin }>({
    everyMs: WRITE_EVERY_MS,
    max: MAX_PENDING,
    merge: ({ appId, counted: { origin, count, lastAt } }, { counted: other }) => ({
      appId,
      counted: { origin, count: count + other.count, lastAt: lastAt < other.lastAt ? other.lastAt : lastAt },
    }),
    async write(values) {
      const byApp = new Map<string, { appId: ObjectId; counted: CountedOrigin[] }>();
      for (const [, { appId, counted }] of values) {
        const ofApp = byApp.get(appId.toHexString()) ?? { appId, counted: [] };
        ofApp.counted.push(counted);
        byApp.set(appId.toHexString(), ofApp);
      }
      // By the collection: a bulk write of pipelines.
      await apps.collection.bulkWrite(
        [...byApp.values()].map(({ appId, counted }) => ({
          updateOne: { filter: { _id: appId }, update: [{ $set: { [member]: merged(member, counted) } }] },
        })),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },
  });

  return {
    /** Counts one request; it is stored within about a second. */
    note(appId: ObjectId, origin: string): void {
      if (origin !== 'null' && (origin.length > MAX_ORIGIN_LENGTH || !isOrigin(origin))) return;
      counts.add(`${appId.toHexString()} ${origin}`, { appId, counted: { origin, count: 1, lastAt: new Date() } });
    },

    /** Resolves when everything counted before the call is stored. */
    flush: counts.flush,
  };
}

/** An aggregation expression: the stored entries with `counted` added, the latest first. */
function merged(member: string, counted: readonly CountedOrigin[]) {
  const stored = { $ifNull: [`$${member}`, []] };
  const names = { $literal: counted.map(({ origin }) => origin) };
  const others = { $filter: { input: stored, as: 'one', cond: { $not: { $in: ['$$one.origin', names] } } } };
  const added = {
    $map: {
      input: { $literal: counted },
      as: 'new',
      in: {
        origin: '$$new.origin',
        count: {
          $reduce: {
            input: stored,
            initialValue: '$$new.count',
            in: { $add: ['$$value', { $cond: [{ $eq: ['$$this.origin', '$$new.origin'] }, '$$this.count', 0] }] },
          },
        },
        lastAt: '$$new.lastAt',
      },
    },
  };
  const newestFirst = { $sortArray: { input: { $concatArrays: [added, others] }, sortBy: { lastAt: -1 } } };
  return { $slice: [newestFirst, MAX_COUNTED_ORIGINS] };
}
