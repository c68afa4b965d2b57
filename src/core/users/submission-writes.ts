import { LRUCache } from 'lru-cache';
import { limitAttempts } from '../../platform/core/attempts.ts';
import { NamedError } from '../../platform/core/errors.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import { isDuplicateKey, isRefusedCreation, isTypeMismatch } from '../../platform/database/failures.ts';
import { insertGuarded, insertTarget } from '../../platform/database/guarded-insert.ts';
import { type ConflictDeps, createConflictReader } from './conflict.ts';
import { arrayFullError, RecordHasTooManyKeys, recordFullError, refuseOversized } from './record-limits.ts';
import { buildInsert, buildUpsert, isCreatedByInsert, type RecordView, UNSEEN } from './record-upsert.ts';
import type { RecordWriter } from './record-writer.ts';
import type { Claim, Submission, Written } from './submission.ts';
import { BY_EMAIL, type RecordId } from './users.model.ts';
import type { KnownStates, RefusingRecord, WritePart } from './write-part.ts';

/** The response to a submission (spec 4.1). */
export interface StoredSubmission {
  id: RecordId;
  createdAt: Date;
  updatedAt: Date;
}

/** The required record does not exist. Nothing was stored. */
export class NoRecord extends NamedError {}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

/** Stores accepted submissions exactly once, also under concurrent writes (invariants 2 and 3). */
export function createSubmissionStore(
  deps: ConflictDeps & {
    writer: RecordWriter;
    newId: (createdAt: Date) => RecordId;
  },
) {
  const { users, writer, newId, maxArrayItems, limits } = deps;
  const records = insertTarget(users, Object.keys(BY_EMAIL));
  /** Lets upserts name the record of a person. Their filters verify it: it may be outdated. */
  const cache = new LRUCache<string, CachedPerson>({ max: MAX_CACHED });
  const heuristic = createInsertHeuristic();
  const conflicts = createConflictReader(deps);

  /** Resolves with the response of a repeat, or the next view; throws a refusal. */
  async function resolveConflict(submission: Submission): Promise<StoredSubmission | RecordView> {
    const conflict = await conflicts.resolve(submission);
    switch (conflict.reason) {
      case 'repeated':
        return answerOf(conflict.record);
      case 'repaired':
        return UNSEEN;
      case 'no-record':
        throw new NoRecord();
      case 'array-full':
        throw arrayFullError(conflict.key, maxArrayItems);
      case 'record-full':
        throw recordFullError(limits);
      case 'too-many-keys':
        throw new RecordHasTooManyKeys('invalidSubmission');
      case 'retry':
        return conflict.view;
    }
  }

  /** Resolves with undefined when the person has a record. */
  async function insert(submission: Submission, newRecord: RecordId): Promise<Written | undefined> {
    try {
      return await writer.write(buildInsert(submission, newRecord));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
  }

  /** What is remembered of a person; undefined when a part of the submission cannot rely on it. */
  async function firstView(person: string, { parts = [] }: Submission): Promise<RecordView | undefined> {
    const known = cache.get(person);
    if (!known) return UNSEEN;
    for (const { name, isFresh } of parts) {
      const state = known.parts?.[name];
      if (isFresh && state !== undefined && !(await isFresh(state, known.id))) return undefined;
    }
    return { known, parts: known.parts };
  }

  function answer(
    person: string,
    { now, parts }: Submission,
    { id, createdAt }: Written,
    states?: KnownStates,
  ): StoredSubmission {
    cache.set(person, { id, createdAt, parts: parts ? statesAfter(parts, states) : states });
    // The later of two concurrent first submissions may have the earlier time.
    return { id, createdAt, updatedAt: createdAt > now ? createdAt : now };
  }

  /** As `insert`, after its claim. Resolves with undefined also when it was late. */
  async function insertClaiming(
    claim: Claim,
    submission: Submission,
    newRecord: RecordId,
  ): Promise<Written | undefined> {
    const { record: _id, guard } = await claim.forNewRecord(newRecord);
    const { record, creation, bytes } = buildInsert(submission, _id);
    try {
      await insertGuarded(guard, records, [record], () => bytes);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return undefined;
    }
    const { appId, email } = submission;
    const own = { projection: { _id: 1 }, readConcern: 'majority' } as const;
    return (await users.findOne({ appId, email, _id }, own)) ? creation : undefined;
  }

  /** As `insertClaiming`, again while only the time of a claim refuses it. */
  async function createClaiming(
    claim: Claim,
    submission: Submission,
    newRecord: RecordId,
  ): Promise<Written | undefined> {
    const { appId, email } = submission;
    for (const again = limitAttempts('submissionsOfRecord', 1); ; again()) {
      if (await users.findOne({ appId, email }, { projection: { _id: 1 }, readConcern: 'majority' })) return undefined;
      const written = await insertClaiming(claim, submission, newRecord);
      if (written) return written;
    }
  }

  /** Stores a submission that claims what it names, for the record that will name it. */
  async function storeClaiming(claim: Claim, submission: Submission, newRecord: RecordId): Promise<StoredSubmission> {
    const { appId, email } = submission;
    const person = personKey(submission);
    const options = { projection: { createdAt: 1 }, readConcern: 'majority' } as const;
    let view: RecordView = UNSEEN;
    for (const again = limitAttempts('submissionsOfRecord', 1); ; again()) {
      const found = await users.findOne({ appId, email }, options);
      if (!found) {
        if (submission.requiresRecord) throw new NoRecord();
        const written = await insertClaiming(claim, submission, newRecord);
        if (written) return answer(person, submission, written);
        view = UNSEEN;
        continue;
      }
      const known: Written = { id: found._id, createdAt: found.createdAt };
      const until = await claim.forRecord(known.id);
      const { filter, update } = buildUpsert(submission, newRecord, maxArrayItems, { ...view, known });
      try {
        const { matchedCount } = await users.updateOne({ ...filter, ...beginsBefore(until) }, update);
        if (matchedCount === 1) return answer(person, submission, known, view.parts);
      } catch (error) {
        if (!isTypeMismatch(error)) throw error;
      }
      const resolved = await resolveConflict(submission);
      if ('updatedAt' in resolved) return resolved;
      view = resolved;
    }
  }

  return {
    /**
     * Stores a submission durably (invariant 1).
     * @throws {OutdatedSchema} when the record has a newer schema version, or newer index slots
     * @throws {NoRecord} when a required record does not exist
     * @throws {Conflict | TooLarge | InvalidInput} when the record would exceed a limit
     * @throws {KeyReused} when the key was applied with other data
     * @throws {AppError} when its claim is refused
     * @throws {Unavailable} when the write failed or its result is unknown
     */
    async store(submission: Submission): Promise<StoredSubmission> {
      refuseOversized(submission, limits, maxArrayItems);
      const person = personKey(submission);
      const newRecord = newId(submission.now);
      if (submission.claim) return storeClaiming(submission.claim, submission, newRecord);
      let isUncached = !cache.has(person);
      if (isUncached && !submission.requiresRecord && heuristic.prefersInsert()) {
        const written = await insert(submission, newRecord);
        heuristic.note(written !== undefined);
        if (written) return answer(person, submission, written);
        isUncached = false;
      }
      let view = await firstView(person, submission);
      const again = limitAttempts('submissionsOfRecord', 1);
      for (let attempt = 0; ; attempt = again()) {
        try {
          if (view) {
            if (attempt > 0 && isCreatedByInsert(submission) && !submission.requiresRecord) {
              const written = await insert(submission, newRecord);
              if (written) return answer(person, submission, written);
            }
            const written = await writer.write(buildUpsert(submission, newRecord, maxArrayItems, view));
            if (isUncached) heuristic.note(written.id.equals(newRecord));
            return answer(person, submission, written, view.parts);
          }
        } catch (error) {
          if (!isDuplicateKey(error) && !isTypeMismatch(error) && !isRefusedCreation(error)) throw error;
        }
        // The cached id may be that of an erased record.
        cache.delete(person);
        const resolved = await resolveConflict(submission);
        if ('updatedAt' in resolved) return resolved;
        view = resolved;
      }
    },

    /** Stores a new person; undefined when the email has a record. Throws as above. */
    async create(submission: Submission): Promise<StoredSubmission | undefined> {
      refuseOversized(submission, limits, maxArrayItems);
      const newRecord = newId(submission.now);
      const { claim } = submission;
      const written = await (claim ? createClaiming(claim, submission, newRecord) : insert(submission, newRecord));
      return written && answer(personKey(submission), submission, written);
    },
  };
}

/** The response of a submission that the record had before. */
export const answerOf = ({ _id: id, createdAt, updatedAt }: RefusingRecord): StoredSubmission => ({
  id,
  createdAt,
  updatedAt,
});

/** What is known of a record after a write, with what was known of other parts. */
function statesAfter(parts: readonly WritePart[], before: KnownStates | undefined): KnownStates {
  const states = { ...before };
  for (const part of parts) states[part.name] = part.stored?.(before?.[part.name]);
  return states;
}

const MAX_REFUSED = 0.25;
/** The number of recent results in the share. */
const WINDOW = 64;

/** An insert costs less than an upsert, but a refused one is an additional cost (decision 3). */
export function createInsertHeuristic() {
  let refusedShare = 0;
  return {
    prefersInsert: (): boolean => refusedShare < MAX_REFUSED,

    note(created: boolean): void {
      refusedShare += ((created ? 0 : 1) - refusedShare) / WINDOW;
    },
  };
}

/** A few megabytes. */
const MAX_CACHED = 20_000;

/** The record of a person after the last submission that this server stored. */
interface CachedPerson extends Written {
  parts: KnownStates | undefined;
}

/** The app's name is cheaper than its id as text. An id of a deleted app matches no record. */
function personKey({ sourceAppId, email }: Submission): string {
  return `${sourceAppId} ${email}`;
}
