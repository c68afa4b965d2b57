import type { Types } from 'mongoose';
import type { AppCollection } from '../apps.model.ts';
import type { RefusedOrigin } from './form-settings.ts';

/** The most origins kept for one app; those refused least recently are dropped. */
export const MAX_REFUSED_ORIGINS = 20;
/**
 * The most pairs of app and origin in memory. Further ones are not counted until the next flush.
 */
const MAX_PENDING = 1_000;
const FLUSH_AFTER_MS = 1_000;
/** Longer ones are not kept. A DNS name has at most 253 characters. */
const MAX_ORIGIN_LENGTH = 270;

export type RefusedOrigins = ReturnType<typeof createRefusedOrigins>;

/**
 * Counts refused origins per app for the operator, who may want to allow one. A flood of requests
 * costs one write per second and app, and memory and documents stay bounded. Counts since the last
 * flush are lost in a crash.
 */
export function createRefusedOrigins(apps: AppCollection) {
  let pending = new Map<string, { appId: Types.ObjectId; refused: RefusedOrigin }>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = pending;
    if (batch.size === 0) return;
    pending = new Map();
    const byApp = new Map<string, { appId: Types.ObjectId; refused: RefusedOrigin[] }>();
    for (const { appId, refused } of batch.values()) {
      const ofApp = byApp.get(appId.toHexString());
      if (ofApp) ofApp.refused.push(refused);
      else byApp.set(appId.toHexString(), { appId, refused: [refused] });
    }
    await apps.bulkWrite(
      [...byApp.values()].map(({ appId, refused }) => ({
        updateOne: { filter: { _id: appId }, update: [{ $set: { refusedOrigins: merged(refused) } }] },
      })),
      { ordered: false, writeConcern: { w: 1 } },
    );
  }

  return {
    /** Counts one refused request. A flush stores it within about a second. */
    note(appId: Types.ObjectId, origin: string): void {
      if (!isOrigin(origin)) return;
      const key = `${appId.toHexString()} ${origin}`;
      const known = pending.get(key);
      if (!known && pending.size >= MAX_PENDING) return;
      const count = (known?.refused.count ?? 0) + 1;
      pending.set(key, { appId, refused: { origin, count, lastAt: new Date() } });
      timer ??= setTimeout(() => void flush().catch(() => undefined), FLUSH_AFTER_MS).unref();
    },

    /** Resolves when everything counted before the call is stored. */
    flush,
  };
}

/** `null`, or scheme, host and port as browsers send them. */
function isOrigin(origin: string): boolean {
  if (origin === 'null') return true;
  if (origin.length > MAX_ORIGIN_LENGTH || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.origin === origin || (url.origin === 'null' && /^[a-z][a-z0-9+.-]*:\/\/[\w.-]+$/.test(origin));
}

/** An aggregation expression: the stored entries with `refused` added, the latest first. */
function merged(refused: readonly RefusedOrigin[]) {
  const stored = { $ifNull: ['$refusedOrigins', []] };
  const names = { $literal: refused.map(({ origin }) => origin) };
  const others = { $filter: { input: stored, as: 'one', cond: { $not: { $in: ['$$one.origin', names] } } } };
  const counted = {
    $map: {
      input: { $literal: refused },
      as: 'new',
      in: {
        origin: '$$new.origin',
        count: {
          $add: [
            '$$new.count',
            {
              $sum: {
                $map: {
                  input: { $filter: { input: stored, as: 'one', cond: { $eq: ['$$one.origin', '$$new.origin'] } } },
                  as: 'one',
                  in: '$$one.count',
                },
              },
            },
          ],
        },
        lastAt: '$$new.lastAt',
      },
    },
  };
  const newestFirst = { $sortArray: { input: { $concatArrays: [counted, others] }, sortBy: { lastAt: -1 } } };
  return { $slice: [newestFirst, MAX_REFUSED_ORIGINS] };
}
