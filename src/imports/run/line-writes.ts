import { mongo, Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import { isDuplicateKey } from '../../database/failures.ts';
import { type Insert, insertOf } from '../../submissions/store/record-insert.ts';
import { upsertOf } from '../../submissions/store/record-upsert.ts';
import type { Submission } from '../../submissions/store/submission.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { LineMark, UserCollection, UserDocument } from '../../users/users.model.ts';
import { type RunningImport, whileRunBy } from '../import-store.ts';
import type { ImportCollection } from '../imports.model.ts';
import { insertWhile, targetOf } from '../insert-while.ts';
import type { UpdatePlan } from './line-planner.ts';
import type { BatchLine, RecordFacts } from './record-facts.ts';

const BY_EMAIL = { appId: 1, email: 1 } as const;
/**
 * MongoDB applies the updates of a statement one after the other. So as many lines as this are sent
 * in two statements, which it applies at the same time. A batch beside submissions has fewer lines.
 */
const LINES_OF_TWO_STATEMENTS = 100;

/** A line that creates a record. */
export interface PlannedInsert {
  line: BatchLine;
  submission: Submission;
}

/** A line that changes a record. */
export interface PlannedUpdate extends PlannedInsert {
  plan: UpdatePlan;
  /** The record as it was read. */
  facts: RecordFacts;
}

export type LineWrites = ReturnType<typeof createLineWrites>;

/**
 * The statements that write lines of an import to records, each with the mark of its line. Each may
 * reach MongoDB late, when another run has taken the import over, and has no effect then
 * (decision 28).
 */
export function createLineWrites(deps: {
  users: UserCollection;
  imports: ImportCollection;
  maxArrayItems: number;
  newId: (createdAt: Date) => RecordId;
}) {
  const { users, imports, maxArrayItems, newId } = deps;
  const records = targetOf(users, Object.keys(BY_EMAIL));

  function changeOf({ line, submission, plan, facts }: PlannedUpdate, importId: Types.ObjectId) {
    const { exactBound } = plan;
    const view = { keyEpoch: 0, ...(exactBound && { exactBound }) };
    const { filter, update } = upsertOf(submission, newId(submission.now), maxArrayItems, view);
    const { $setOnInsert: _, ...rest } = update;
    const mark: LineMark = { id: importId, line: line.number, result: 'updated' };
    const { _id, updatedAt, import: lastMark = null } = facts;
    return {
      updateOne: {
        filter: { ...filter, _id, updatedAt, import: lastMark } as mongo.Filter<UserDocument>,
        update: { ...rest, $set: { ...rest.$set, import: mark } } as mongo.UpdateFilter<UserDocument>,
        // Without it MongoDB compares plans for each write.
        hint: BY_EMAIL,
      },
    };
  }

  /** Sends one statement; resolves with whether all records were changed. */
  async function updateSome(lines: readonly PlannedUpdate[], importId: Types.ObjectId): Promise<boolean> {
    try {
      const operations = lines.map((line) => changeOf(line, importId));
      const { matchedCount } = await users.bulkWrite(operations, { ordered: false });
      return matchedCount === operations.length;
    } catch (error) {
      // A stored value has another type since it was read; another attempt reads it again.
      const failures = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (failures.length === 0) throw error;
      if ((error as mongo.MongoBulkWriteError).result.getWriteConcernError()) throw new Unavailable();
      return false;
    }
  }

  return {
    /**
     * Inserts a record for each line, if the run may still write: the commit of the batch tells.
     * Resolves with false when a person of a line has a record; then any of the others is stored.
     * @throws {Unavailable} when a result is unknown
     */
    async insert(lines: readonly PlannedInsert[], run: RunningImport): Promise<boolean> {
      const inserts = lines.map(({ line, submission }) => {
        const { record, bytes }: Insert = insertOf(submission, newId(submission.now));
        const mark: LineMark = { id: run._id, line: line.number, result: 'created' };
        return { document: { ...record, import: mark }, bytes };
      });
      const sizes = new Map(inserts.map(({ document, bytes }) => [document, bytes]));
      try {
        await insertWhile(imports, whileRunBy(run), records, [...sizes.keys()], (document) => sizes.get(document) ?? 0);
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },

    /**
     * Changes the record of each line, if it is as it was read; resolves with whether all were
     * changed.
     * @throws {Unavailable} when a result is unknown
     */
    async update(lines: readonly PlannedUpdate[], importId: Types.ObjectId): Promise<boolean> {
      if (lines.length === 0) return true;
      const half = lines.length < LINES_OF_TWO_STATEMENTS ? lines.length : Math.ceil(lines.length / 2);
      const parts = [lines.slice(0, half), lines.slice(half)].filter(({ length }) => length > 0);
      const results = await Promise.all(parts.map((part) => updateSome(part, importId)));
      return results.every(Boolean);
    },

    /**
     * Makes all updates without effect that another run has sent, or will send, for records of
     * these emails. Otherwise the records stay as they are, so it does no harm when it is late.
     */
    async fence(appId: Types.ObjectId, emails: readonly string[]): Promise<void> {
      const filter = { appId, email: { $in: [...emails] } };
      await users.updateMany(filter, { $set: { 'import.fence': new Types.ObjectId() } }, { hint: BY_EMAIL });
    },
  };
}
