import { mongo, type Types } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import { isOnlyDuplicates } from '../../database/failures.ts';
import { insertOf } from '../../submissions/store/record-insert.ts';
import { upsertOf } from '../../submissions/store/record-upsert.ts';
import type { Submission } from '../../submissions/store/submission.ts';
import type { RecordId } from '../../users/record-id.ts';
import type { ImportMark, UserCollection, UserDocument } from '../../users/users.model.ts';
import type { WritePlan } from './line-planner.ts';
import type { BatchLine } from './record-facts.ts';

const BY_EMAIL = { appId: 1, email: 1 } as const;
/**
 * MongoDB applies the updates of a statement one after the other. So as many lines as this are sent
 * in two statements, which it applies at the same time. A batch beside submissions has fewer lines.
 */
const LINES_OF_TWO_STATEMENTS = 100;

/** A line that is written. */
export interface PlannedLine {
  line: BatchLine;
  submission: Submission;
  plan: WritePlan;
}

export type LineWrites = ReturnType<typeof createLineWrites>;

/** The statements that write lines of an import to records, each with the mark of its line. */
export function createLineWrites(deps: {
  users: UserCollection;
  maxArrayItems: number;
  newId: (createdAt: Date) => RecordId;
}) {
  const { users, maxArrayItems, newId } = deps;

  function changeOf({ line, submission, plan }: PlannedLine, importId: Types.ObjectId) {
    const exactBound = plan.write === 'update' && plan.exactBound;
    const view = { keyEpoch: 0, ...(exactBound && { exactBound }) };
    const { filter, update } = upsertOf(submission, newId(submission.now), maxArrayItems, view);
    const { $setOnInsert: _, ...rest } = update;
    const mark: ImportMark = { id: importId, line: line.number, result: 'updated' };
    const isLater = { 'import.id': importId, 'import.line': { $gte: line.number } };
    return {
      updateOne: {
        filter: { ...filter, $nor: [...(filter.$nor ?? []), isLater] } as mongo.Filter<UserDocument>,
        update: { ...rest, $set: { ...rest.$set, import: mark } } as mongo.UpdateFilter<UserDocument>,
        // Without it MongoDB compares plans for each write.
        hint: BY_EMAIL,
      },
    };
  }

  /** Sends one statement; resolves with whether all records were changed. */
  async function updateSome(lines: readonly PlannedLine[], importId: Types.ObjectId): Promise<boolean> {
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
     * Inserts a record for each line; resolves with the numbers of the lines whose person has one.
     * @throws {Unavailable} when a result is unknown
     */
    async insert(lines: readonly PlannedLine[], importId: Types.ObjectId): Promise<Set<number>> {
      if (lines.length === 0) return new Set();
      const documents = lines.map(({ line, submission }) => {
        const { record } = insertOf(submission, newId(submission.now));
        return { ...record, import: { id: importId, line: line.number, result: 'created' } satisfies ImportMark };
      });
      try {
        await users.insertMany(documents, { ordered: false });
        return new Set();
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw error;
        const failures = [(error as mongo.MongoBulkWriteError).writeErrors].flat();
        return new Set(failures.flatMap(({ index }) => lines[index]?.line.number ?? []));
      }
    },

    /**
     * Changes the record of each line; resolves with whether all were changed.
     * @throws {Unavailable} when a result is unknown
     */
    async update(lines: readonly PlannedLine[], importId: Types.ObjectId): Promise<boolean> {
      if (lines.length === 0) return true;
      const half = lines.length < LINES_OF_TWO_STATEMENTS ? lines.length : Math.ceil(lines.length / 2);
      const parts = [lines.slice(0, half), lines.slice(half)].filter(({ length }) => length > 0);
      const results = await Promise.all(parts.map((part) => updateSome(part, importId)));
      return results.every(Boolean);
    },
  };
}
