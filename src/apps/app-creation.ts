import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type mongo, Types } from 'mongoose';
import { Conflict, Unavailable } from '../core/errors.ts';
import { withTimeout } from '../core/timeouts.ts';
import { databaseRefusal, isDuplicateKey } from '../database/failures.ts';
import type { AppOwned } from './app-owned.ts';
import type { AppCollection, AppDocument } from './apps.model.ts';

/** How long one creation repeats what the database did not answer. */
const TRY_FOR_MS = 2_500;
/** One attempt that takes longer is repeated beside it: its connection may never answer. */
const ATTEMPT_MS = 1_000;
const PAUSE_MS = 50;
/** A creation that is not confirmed after this long was cut short. Longer than one takes. */
const ABANDONED_AFTER_MS = 5_000;

/** What a new app is made of. `credentialId` is new and random, so it also identifies the creation. */
export type NewApp = Omit<AppDocument, '_id' | 'deletingSince' | 'creating' | 'lastSubmissionAt'>;

/** Resolves with the `_id` of the app when it is there with all that it begins with. */
export type CreateApp = (app: NewApp) => Promise<Types.ObjectId>;

/**
 * Creates apps completely or not at all (docs/decisions/0015-creation-in-steps.md): the document is
 * inserted as one that nobody can use yet, then what the app begins with, and one update confirms it.
 * A step whose answer was lost is repeated; each one recognizes its own work by the `credentialId`.
 *
 * `CreateApp` rejects with {@link Conflict} when the id is taken and with {@link Unavailable} when the
 * database cannot be reached. Of a creation that was cut short a document may be left that counts as no
 * app: the next creation of that id takes it over, and the sweep of app-removal.ts removes it.
 */
export function createAppCreation(deps: { apps: AppCollection; owned: readonly AppOwned[] }): CreateApp {
  const { apps, owned } = deps;

  /** Inserts the document, unless the id is taken; resolves with the document that has the id then. */
  async function insertOrFind(_id: Types.ObjectId, app: NewApp): Promise<AppDocument> {
    const document: AppDocument = { _id, ...app, creating: true, deletingSince: new Date() };
    try {
      await apps.insertOne(document);
      return document;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const found = await apps.findOne({ sourceAppId: app.sourceAppId });
      if (!found) throw new Unavailable(); // deleted in between: the next attempt inserts
      return found;
    }
  }

  /** Gives the document of a creation that was cut short to this one; that one cannot confirm it any more. */
  async function takeOver({ _id, credentialId }: AppDocument, app: NewApp): Promise<void> {
    await apps.updateOne({ _id, credentialId, creating: true }, { $set: { ...app, deletingSince: new Date() } });
  }

  /**
   * Resolves with the `_id` of the document that this creation has, and when the creation is to end.
   * Waits for a creation of the same id that is under way. @throws {Conflict}
   */
  async function claim(app: NewApp): Promise<{ _id: Types.ObjectId; giveUpAt: number }> {
    const _id = new Types.ObjectId();
    let other: { credentialId: string; seen: number } | undefined;
    for (let giveUpAt = performance.now() + TRY_FOR_MS; ; giveUpAt = performance.now() + TRY_FOR_MS) {
      const found = await persist(() => insertOrFind(_id, app), giveUpAt);
      if (found.credentialId === app.credentialId) return { _id: found._id, giveUpAt };
      if (!found.creating) throw new Conflict('An app with this sourceAppId already exists');
      if (other?.credentialId !== found.credentialId) {
        other = { credentialId: found.credentialId, seen: performance.now() };
      }
      // Two clocks give its age and may differ, so a wait of that length counts as well.
      const age = Date.now() - (found.deletingSince?.getTime() ?? 0);
      if (Math.max(age, performance.now() - other.seen) < ABANDONED_AFTER_MS) await sleep(PAUSE_MS);
      else await persist(() => takeOver(found, app), giveUpAt);
    }
  }

  /** Changes this creation's document while it is not confirmed; resolves with whether it is confirmed now. */
  async function change({ sourceAppId, credentialId }: NewApp, update: mongo.UpdateFilter<AppDocument>) {
    let failure: unknown;
    try {
      const { matchedCount } = await apps.updateOne({ sourceAppId, credentialId, creating: true }, update);
      if (matchedCount === 1) return update.$unset !== undefined;
    } catch (error) {
      failure = error; // the answer was lost, or the change
    }
    const found = await apps.findOne({ sourceAppId, credentialId }, { readConcern: 'majority' });
    if (found && !found.creating) return true;
    if (failure !== undefined) throw failure;
    return false;
  }

  async function confirm(app: NewApp): Promise<void> {
    if (!(await change(app, { $unset: { creating: 1, deletingSince: 1 } }))) throw new Unavailable();
  }

  /**
   * Ends a creation that failed, so that no late confirmation can succeed and the next creation need not
   * wait. Resolves with whether the app was confirmed after all.
   */
  async function abandon(app: NewApp): Promise<boolean> {
    return change(app, { $set: { credentialId: randomUUID(), deletingSince: new Date(0) } });
  }

  return async (app) => {
    let _id: Types.ObjectId | undefined;
    try {
      const claimed = await claim(app);
      _id = claimed._id;
      for (const part of owned) await persist(async () => part.prepare?.(claimed._id), claimed.giveUpAt);
      await persist(() => confirm(app), claimed.giveUpAt);
      return _id;
    } catch (error) {
      if (error instanceof Conflict) throw error;
      const confirmed = await withTimeout(abandon(app), ATTEMPT_MS, () => new Unavailable()).catch(() => false);
      if (confirmed && _id) return _id;
      throw error;
    }
  };
}

/** Repeats what can be repeated until the database answers. @throws what the last attempt failed with */
async function persist<T>(attempt: () => Promise<T>, giveUpAt: number): Promise<T> {
  for (;;) {
    try {
      return await withTimeout(attempt(), ATTEMPT_MS, () => new Unavailable());
    } catch (error) {
      const unknown = error instanceof Unavailable || databaseRefusal(error) instanceof Unavailable;
      if (!unknown || performance.now() >= giveUpAt) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
