import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../apps/app.ts';
import { isSameSlots } from '../apps/index-slots.ts';
import { Unavailable } from '../core/errors.ts';
import type { Clock } from './clock.ts';
import type { StoredSchema } from './schema-store.ts';

/**
 * How long a read is repeated while the newest state may still be rolled back, and the interval. A
 * majority commits a change within milliseconds, unless members of the replica set are unavailable.
 */
const MAX_WAIT_MS = 1_000;
const RETRY_AFTER_MS = 20;

/** An app and its newest schema, as one read returned them. */
export interface AppWithSchema {
  app: App;
  stored: StoredSchema;
}

export type ReadConcern = 'local' | 'majority';

/** The database reads of an app and of its newest schema. */
export interface LeaseSource {
  findApp(sourceAppId: string, readConcern: ReadConcern): Promise<App | undefined>;
  newestSchema(app: App, readConcern: ReadConcern): Promise<StoredSchema | undefined>;
}

/**
 * Resolves with an app and its newest schema once the primary and a majority agree on them, or with
 * undefined when the app does not exist (decision 16). The primary alone may return what is rolled
 * back later. The majority alone is not enough either: a new primary learns only with its first
 * commit which of its writes were acknowledged.
 *
 * @throws {Unavailable} when they do not agree within {@link MAX_WAIT_MS}
 */
export async function readCommitted(
  source: LeaseSource,
  clock: Clock,
  sourceAppId: string,
): Promise<AppWithSchema | undefined> {
  const begun = clock.monotonic();
  for (;;) {
    const [local, majority] = await Promise.all([
      readOnce(source, sourceAppId, 'local'),
      readOnce(source, sourceAppId, 'majority'),
    ]);
    // A deletion is committed before the app's document is removed, so absence needs one read only.
    if (!local || isSame(local, majority)) return local;
    if (clock.monotonic() - begun >= MAX_WAIT_MS) throw new Unavailable();
    await sleep(RETRY_AFTER_MS);
  }
}

async function readOnce(
  source: LeaseSource,
  sourceAppId: string,
  readConcern: ReadConcern,
): Promise<AppWithSchema | undefined> {
  const app = await source.findApp(sourceAppId, readConcern);
  const stored = app && (await source.newestSchema(app, readConcern));
  return app && stored && { app, stored };
}

function isSame(one: AppWithSchema, other: AppWithSchema | undefined): boolean {
  if (other === undefined || !one.app.id.equals(other.app.id) || !one.stored.id.equals(other.stored.id)) return false;
  if (!isSameSlots(one.app.slots, other.app.slots) || one.app.slotEpoch !== other.app.slotEpoch) return false;
  return one.app.form?.revision.toHexString() === other.app.form?.revision.toHexString();
}
