import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId, type UpdateFilter } from 'mongodb';
import { Conflict, Unavailable } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import { databaseRefusal, isDuplicateKey } from '../../platform/database/failures.ts';
import type { AppOwned } from '../feature.ts';
import type { AppDocument } from './app.ts';
import type { AppModel } from './apps.model.ts';

/** Time limit of one attempt, because its connection may never answer. */
const ATTEMPT_MS = 1_000;
const PAUSE_MS = 50;
/** How long a creation retries steps without an answer of the database. */
const RETRY_FOR_MS = 2_500;
/** An unconfirmed creation of this age counts as interrupted; a creation is shorter. */
const ABANDONED_AFTER_MS = 5_000;

/** `credentialId` is random, so it also identifies the creation. */
type NewApp = Omit<AppDocument, '_id' | 'creating' | 'deletingSince'>;

/** Resolves with the `_id` of the app when the app and its initial data are stored. */
export type CreateApp = (app: NewApp) => Promise<ObjectId>;

/**
 * Returns a function that creates an app completely or not at all (decision 14). A repeated step
 * recognizes its work by `credentialId`. An interrupted creation is taken over by the next one of
 * the id, or by the sweep in app-removal.ts. `CreateApp` rejects with {@link Conflict} when the id
 * is taken and with {@link Unavailable} when the database cannot be reached.
 */
export function createAppCreation(deps: {
  apps: AppModel;
  owned: readonly AppOwned[];
  clock: Pick<DatabaseClock, 'earlier' | 'later'>;
}): CreateApp {
  const { apps, owned, clock } = deps;

  async function insertOrFind(_id: ObjectId, app: NewApp): Promise<AppDocument> {
    const document: AppDocument = { _id, ...app, creating: true, deletingSince: clock.later() };
    try {
      await apps.insertOne(document);
      return document;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const found = await apps.findOne({ sourceAppId: app.sourceAppId });
      if (!found) throw new Unavailable(); // deleted meanwhile: the next attempt inserts
      return found;
    }
  }

  /** Assigns an interrupted creation's document to this creation; the other cannot confirm it. */
  async function takeOver({ _id, credentialId }: AppDocument, app: NewApp): Promise<void> {
    await apps.updateOne({ _id, credentialId, creating: true }, { $set: { ...app, deletingSince: clock.later() } });
  }

  /** Waits while another creation of the same id is in progress. @throws {Conflict} */
  async function claim(app: NewApp): Promise<{ _id: ObjectId; deadline: number }> {
    const _id = new ObjectId();
    let other: { credentialId: string; seen: number } | undefined;
    for (;;) {
      const deadline = performance.now() + RETRY_FOR_MS;
      const found = await retry(() => insertOrFind(_id, app), deadline);
      if (found.credentialId === app.credentialId) return { _id: found._id, deadline };
      if (!found.creating) throw new Conflict('appExists');
      if (other?.credentialId !== found.credentialId) {
        other = { credentialId: found.credentialId, seen: performance.now() };
      }
      // The clocks of servers may differ, so the time this server has waited also counts.
      const age = clock.earlier().getTime() - (found.deletingSince?.getTime() ?? 0);
      if (Math.max(age, performance.now() - other.seen) < ABANDONED_AFTER_MS) await sleep(PAUSE_MS);
      else await retry(() => takeOver(found, app), deadline);
    }
  }

  /** Applies `update` while the app is unconfirmed. Resolves with whether it is confirmed then. */
  async function updateUnconfirmed({ sourceAppId, credentialId }: NewApp, update: UpdateFilter<AppDocument>) {
    let failure: unknown;
    try {
      const { matchedCount } = await apps.updateOne({ sourceAppId, credentialId, creating: true }, update);
      if (matchedCount === 1) return update.$unset !== undefined;
    } catch (error) {
      failure = error; // the update may or may not have been applied
    }
    const found = await apps.findOne({ sourceAppId, credentialId }, { readConcern: 'majority' });
    if (found && !found.creating) return true;
    if (failure !== undefined) throw failure;
    return false;
  }

  async function confirm(app: NewApp): Promise<void> {
    if (!(await updateUnconfirmed(app, { $unset: { creating: 1, deletingSince: 1 } }))) throw new Unavailable();
  }

  /** Prevents late confirmations of a failed creation; resolves with true if it was confirmed. */
  async function abandon(app: NewApp): Promise<boolean> {
    return updateUnconfirmed(app, { $set: { credentialId: randomUUID(), deletingSince: new Date(0) } });
  }

  return async (app) => {
    let _id: ObjectId | undefined;
    try {
      const claimed = await claim(app);
      _id = claimed._id;
      for (const part of owned) await retry(async () => part.prepare?.(claimed._id), claimed.deadline);
      await retry(() => confirm(app), claimed.deadline);
      return _id;
    } catch (error) {
      if (error instanceof Conflict) throw error;
      const confirmed = await withTimeout(abandon(app), ATTEMPT_MS, () => new Unavailable()).catch(() => false);
      if (confirmed && _id) return _id;
      throw error;
    }
  };
}

/** Retries an idempotent step until `deadline` (of `performance.now()`). @throws its last error */
async function retry<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await withTimeout(attempt(), ATTEMPT_MS, () => new Unavailable());
    } catch (error) {
      const isTransient = databaseRefusal(error) instanceof Unavailable;
      if (!isTransient || performance.now() >= deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
