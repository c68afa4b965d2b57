import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { Conflict as ArrayFull, InvalidInput, KeyReused, TooLarge, Unavailable } from '../../core/errors.ts';
import { isDuplicateKey, isTypeMismatch } from '../../database/failures.ts';
import { TOO_MANY_EXTRA_KEYS } from '../../fields/compile.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { AppliedKey, UserCollection } from '../../users/users.model.ts';
import { createConflictReader, type Repeat, turnIntoArray } from './conflict.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import { createInsertHeuristic } from './insert-heuristic.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordWriter } from './record-writer.ts';
import { insertOf, type RecordView, type Submission, UNSEEN, upsertOf, type Written } from './submission.ts';

/** Each attempt but the first means that another submission of the same person got in between. */
const MAX_ATTEMPTS = 24;

/** Of how many people who submitted last the record's id is remembered: a few megabytes. */
const MAX_CACHED = 20_000;

/** The answer to a submission (docs/specification.md, section 4.1). */
export interface StoredSubmission {
  id: RecordId;
  createdAt: Date;
  updatedAt: Date;
}

/** The record carries a newer schema version than the submission was checked against: it must be checked again. */
export class OutdatedSchema extends Error {
  override readonly name = 'OutdatedSchema';
}

interface Cached extends Written {
  keyEpoch: number;
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

/**
 * Stores accepted submissions exactly once, whatever else is written at the same time.
 *
 * @param newId makes the id for a record that the submission creates
 * @param maxArrayItems the most items that an array field holds
 */
export function createSubmissionStore(deps: {
  users: UserCollection;
  writer: RecordWriter;
  keys: IdempotencyKeys;
  newId: (createdAt: Date) => RecordId;
  maxArrayItems: number;
  limits: RecordLimits;
}) {
  const { users, writer, keys, newId, maxArrayItems, limits } = deps;
  const cache = new LRUCache<string, Cached>({ max: MAX_CACHED });
  const heuristic = createInsertHeuristic();
  const conflicts = createConflictReader({ users, keys, limits, maxArrayItems });

  /** Acts on a refused upsert: returns the answer of a repeat or the view for the next attempt, or throws. */
  async function resolveConflict(submission: Submission): Promise<StoredSubmission | RecordView> {
    const conflict = await conflicts.explain(submission);
    switch (conflict.reason) {
      case 'repeated':
      case 'key-reused':
        return answerRepeat(conflict);
      case 'newer-schema':
        throw new OutdatedSchema();
      case 'keys-full':
        await keys.moveOut(conflict.record);
        return resolveConflict(submission);
      case 'not-an-array':
        await turnIntoArray(users, submission, conflict.key);
        return UNSEEN;
      case 'array-full':
        throw arrayFull(conflict.key, maxArrayItems);
      case 'record-full':
        throw recordFull(limits);
      case 'too-many-keys':
        throw new InvalidInput('Invalid submission', [{ path: 'data', message: TOO_MANY_EXTRA_KEYS }]);
      case 'retry':
        return conflict.view;
    }
  }

  /** For a person who probably has no record; returns nothing when there is one. */
  async function insert(submission: Submission, newRecord: RecordId): Promise<Written | undefined> {
    try {
      return await writer.write(insertOf(submission, newRecord));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
  }

  /** What is known of the record. For a key that may have been moved out of it, nothing is known without a look-up. */
  async function firstView(person: string, { appId, applied }: Submission): Promise<RecordView | undefined> {
    const known = cache.get(person);
    if (!known) return UNSEEN;
    const isMoved = applied && known.keyEpoch > 0 && (await keys.find(appId, known.id, applied.key));
    return isMoved ? undefined : { known, keyEpoch: known.keyEpoch };
  }

  function remember(person: string, { now }: Submission, { id, createdAt }: Written, keyEpoch = 0): StoredSubmission {
    cache.set(person, { id, createdAt, keyEpoch });
    // Of two first submissions at once, the later write may carry the earlier time.
    return { id, createdAt, updatedAt: createdAt > now ? createdAt : now };
  }

  function refuseOversized({ change, size }: Submission): void {
    for (const [key, items] of Object.entries(change.append)) {
      if (items.length > maxArrayItems) throw arrayFull(key, maxArrayItems);
    }
    if (size.set + size.append > limits.max) throw recordFull(limits);
  }

  return {
    /**
     * Stores a submission; when it resolves, the submission is durable.
     * @throws {OutdatedSchema} @throws {Conflict} when an array is full @throws {TooLarge} when the record is
     * @throws {InvalidInput} when the record has too many keys @throws {KeyReused} @throws {Unavailable}
     */
    async store(submission: Submission): Promise<StoredSubmission> {
      refuseOversized(submission);
      // By name: making a text of the app's id costs more. After a re-creation the cached id matches no record.
      const person = `${submission.sourceAppId} ${submission.email}`;
      const newRecord = newId(submission.now);
      let isUncached = !cache.has(person);
      if (isUncached && heuristic.prefersInsert()) {
        const written = await insert(submission, newRecord);
        heuristic.note(written !== undefined);
        if (written) return remember(person, submission, written);
        isUncached = false;
      }
      let view = await firstView(person, submission);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        try {
          if (view) {
            const written = await writer.write(upsertOf(submission, newRecord, maxArrayItems, view));
            if (isUncached) heuristic.note(written.id.equals(newRecord));
            return remember(person, submission, written, view.keyEpoch);
          }
        } catch (error) {
          if (!isDuplicateKey(error) && !isTypeMismatch(error)) throw error;
        }
        // The cached record may have been erased and created anew.
        cache.delete(person);
        const resolved = await resolveConflict(submission);
        if ('updatedAt' in resolved) return resolved;
        view = resolved;
      }
      throw new Unavailable('Too many submissions for this record at once; try again shortly', 1);
    },

    /**
     * The answer of the submission that was applied under a key, or undefined when none was.
     * @throws {KeyReused} when the key was applied with other data
     */
    async findApplied(
      appId: Types.ObjectId,
      email: string,
      applied: AppliedKey,
    ): Promise<StoredSubmission | undefined> {
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

function arrayFull(key: string, maxArrayItems: number): ArrayFull {
  return new ArrayFull(`data.${key} is full: it holds at most ${maxArrayItems} items`);
}

function recordFull({ max }: RecordLimits): TooLarge {
  return new TooLarge(`The record would be larger than ${(max / 1024 / 1024).toFixed(1)} MB`);
}
