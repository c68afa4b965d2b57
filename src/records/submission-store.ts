import { LRUCache } from 'lru-cache';
import type { ObjectId } from 'mongodb';
import { Conflict, KeyReused, Unavailable } from '../core/errors.ts';
import { isDuplicateKey, isRefusedCreation, isTypeMismatch } from '../database/failures.ts';
import { createConflictReader, type Repeat } from './conflict.ts';
import { type SentConsents, stateAfter } from './consents.ts';
import type { RecordWriter } from './group-commit.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { AppliedKey, ConsentState, UserCollection } from './record.ts';
import type { RecordId } from './record-id.ts';
import {
  arrayFullError,
  type RecordLimits,
  recordFullError,
  refuseOversized,
  tooManyKeysError,
} from './record-limits.ts';
import type { RecordMoves } from './record-moves.ts';
import { buildInsert, buildUpsert, type RecordView, UNSEEN } from './record-upsert.ts';
import type { SlotStore } from './slot-store.ts';
import type { HoldReason, Submission, Written } from './submission.ts';

/** Each further attempt means that a concurrent submission changed the same record. */
const MAX_ATTEMPTS = 24;

/** The response to a submission (spec 4.1). */
export interface StoredSubmission {
  id: RecordId;
  createdAt: Date;
  updatedAt: Date;
  /** It was not stored but waits for an operator (spec 4.5); `id` names the held entry. */
  held?: true;
  heldFor?: HoldReason;
}

/** The submission requires a record, and there is none. Nothing was stored. */
export class NoRecord extends Error {
  override readonly name = 'NoRecord';
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

/**
 * Stores accepted submissions exactly once, also under concurrent writes (invariants 2 and 3).
 *
 * @param newId makes the id of a record that a submission creates
 * @param maxArrayItems the maximum number of items of an array field
 */
export function createSubmissionStore(deps: {
  users: UserCollection;
  moves: Pick<RecordMoves, 'one'>;
  writer: RecordWriter;
  keys: IdempotencyKeys;
  newId: (createdAt: Date) => RecordId;
  maxArrayItems: number;
  limits: RecordLimits;
  /** Makes the epoch of an app's slots at least this one. */
  catchUp: SlotStore['catchUp'];
}) {
  const { writer, keys, newId, maxArrayItems, limits } = deps;
  const cache = createPersonCache();
  const heuristic = createInsertHeuristic();
  const conflicts = createConflictReader(deps);

  /**
   * Resolves with the response of a repeat, or with the view for the next attempt. Throws when the
   * write is refused.
   */
  async function resolveConflict(submission: Submission): Promise<StoredSubmission | RecordView> {
    const conflict = await conflicts.resolve(submission);
    switch (conflict.reason) {
      case 'repeated':
      case 'key-reused':
        return answerRepeat(conflict);
      case 'repaired':
        return UNSEEN;
      case 'no-record':
        throw new NoRecord();
      case 'keys-full':
        await keys.moveOut(conflict.record);
        return resolveConflict(submission);
      case 'array-full':
        throw arrayFullError(conflict.key, maxArrayItems);
      case 'consents-full':
        throw new Conflict('The record is full: it takes withdrawals of consents only');
      case 'outbox-full':
        throw new Unavailable('Too many events of this record wait to be delivered; try again shortly', 1);
      case 'record-full':
        throw recordFullError(limits);
      case 'too-many-keys':
        throw tooManyKeysError('Invalid submission');
      case 'retry':
        return conflict.view;
    }
  }

  /** Inserts the record; resolves with undefined when the person has one. */
  async function insert(submission: Submission, newRecord: RecordId): Promise<Written | undefined> {
    try {
      return await writer.write(buildInsert(submission, newRecord));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
  }

  /**
   * The cached view of the record; undefined when the submission's key was moved out of the record.
   */
  async function firstView(person: string, { appId, applied }: Submission): Promise<RecordView | undefined> {
    const known = cache.get(person);
    if (!known) return UNSEEN;
    const isMoved = applied && known.keyEpoch > 0 && (await keys.find(appId, known.id, applied.key));
    return isMoved ? undefined : { known, keyEpoch: known.keyEpoch, consents: known.consents };
  }

  /** Caches the result of a write and returns the response. */
  function answer(person: string, submission: Submission, written: Written, keyEpoch = 0): StoredSubmission {
    cache.set(person, written, submission.consents, keyEpoch);
    const { id, createdAt } = written;
    const { now } = submission;
    // The later of two concurrent first submissions may have the earlier time.
    return { id, createdAt, updatedAt: createdAt > now ? createdAt : now };
  }

  return {
    /**
     * Stores a submission. When the promise resolves, the submission is durable (invariant 1).
     *
     * @throws {OutdatedSchema} when the record has a newer schema version, or newer index slots
     * @throws {NoRecord} when it requires a record and there is none
     * @throws {Conflict} when an array field would have too many items
     * @throws {TooLarge} when the record would exceed its size limit
     * @throws {InvalidInput} when the record would have too many keys
     * @throws {KeyReused} when the key was applied with other data
     * @throws {Unavailable} when the write failed or its result is unknown
     */
    async store(submission: Submission): Promise<StoredSubmission> {
      refuseOversized(submission, limits, maxArrayItems);
      const person = personKey(submission);
      const newRecord = newId(submission.now);
      let isUncached = !cache.has(person);
      if (isUncached && !submission.requiresRecord && heuristic.prefersInsert()) {
        const written = await insert(submission, newRecord);
        heuristic.note(written !== undefined);
        if (written) return answer(person, submission, written);
        isUncached = false;
      }
      let view = await firstView(person, submission);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        try {
          if (view) {
            const written = await writer.write(buildUpsert(submission, newRecord, maxArrayItems, view));
            if (isUncached) heuristic.note(written.id.equals(newRecord));
            return answer(person, submission, written, view.keyEpoch);
          }
        } catch (error) {
          if (!isDuplicateKey(error) && !isTypeMismatch(error) && !isRefusedCreation(error)) throw error;
        }
        // The cached id may be stale, because the record was erased and created again.
        cache.delete(person);
        const resolved = await resolveConflict(submission);
        if ('updatedAt' in resolved) return resolved;
        view = resolved;
      }
      throw new Unavailable('Too many submissions for this record at once; try again shortly', 1);
    },

    /**
     * Resolves with the response to the submission that was applied under a key, or with undefined.
     * @throws {KeyReused} when the key was applied with other data
     */
    async findApplied(appId: ObjectId, email: string, applied: AppliedKey): Promise<StoredSubmission | undefined> {
      const found = await conflicts.findApplied(appId, email, applied);
      return found && answerRepeat(found);
    },
  };
}

function answerRepeat(conflict: Repeat): StoredSubmission {
  if (conflict.reason === 'key-reused') throw new KeyReused();
  const { _id, createdAt, updatedAt } = conflict.record;
  return { id: _id, createdAt, updatedAt };
}

/** Above this share of refused inserts, the upsert comes first. */
const MAX_REFUSED = 0.25;
/** The number of recent results that the share covers. */
const WINDOW = 64;

/**
 * Chooses insert or upsert for uncached persons from the recent duplicate-key rate. An insert costs
 * the database a quarter of an upsert, but a refused insert is an additional cost
 * (docs/decisions/0011-insert-first.md).
 */
export function createInsertHeuristic() {
  let refusedShare = 0;
  return {
    /** Whether an insert is expected to cost less than an upsert. */
    prefersInsert: (): boolean => refusedShare < MAX_REFUSED,

    /** Records the result for one uncached person: whether the write created a record. */
    note(created: boolean): void {
      refusedShare += ((created ? 0 : 1) - refusedShare) / WINDOW;
    },
  };
}

/** The number of persons whose record id is cached, the most recent ones: a few megabytes. */
const MAX_CACHED = 20_000;

/** The most consent fields of a submission whose state is cached with the person: bounds memory. */
const MAX_CACHED_CONSENTS = 4;

/** What this server knows of a person's record from the last submission that it stored. */
interface CachedPerson extends Written {
  keyEpoch: number;
  /** The consents that the last submission sent. */
  consents: ConsentState | undefined;
}

/**
 * Caches the persons of the latest submissions, so that the upsert of the next one can name the
 * record. What is cached may be outdated: the filter of the upsert verifies it.
 */
function createPersonCache() {
  const cache = new LRUCache<string, CachedPerson>({ max: MAX_CACHED });
  return {
    has: (person: string): boolean => cache.has(person),

    get: (person: string): CachedPerson | undefined => cache.get(person),

    set(person: string, { id, createdAt }: Written, sent: SentConsents | undefined, keyEpoch: number): void {
      const consents = sent && sent.entries.length <= MAX_CACHED_CONSENTS ? stateAfter(sent.entries) : undefined;
      cache.set(person, { id, createdAt, keyEpoch, consents });
    },

    delete(person: string): void {
      cache.delete(person);
    },
  };
}

/**
 * The key of a submission's person in the cache. It has the name of the app, because the app's id
 * as text costs more. The cached id of an earlier incarnation of the app matches no record.
 */
function personKey({ sourceAppId, email }: Submission): string {
  return `${sourceAppId} ${email}`;
}
