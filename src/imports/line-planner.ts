import { isDeepStrictEqual } from 'node:util';
import type { Types } from 'mongoose';
import { AppError } from '../core/errors.ts';
import { createConflictReader, turnIntoArray } from '../records/conflict.ts';
import type { IdempotencyKeys } from '../records/idempotency-keys.ts';
import type { LineMark, UserCollection, UserDocument } from '../records/record.ts';
import type { RecordLimits } from '../records/record-limits.ts';
import type { RecordMoves } from '../records/record-moves.ts';
import type { SlotStore } from '../records/slot-store.ts';
import type { Submission } from '../records/submission.ts';
import { OutdatedSchema, refuseOversized } from '../records/submission-store.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import type { RunningImport } from './import-store.ts';
import type { ImportSettings } from './imports.model.ts';

/** What became of a line. */
export type LineResult = 'created' | 'updated' | 'unchanged' | { rejected: string };

/**
 * What to do with a line. `explain`: the record must be read more closely; `later`: another attempt
 * decides.
 */
export type Plan = { result: LineResult } | { write: 'insert' | 'explain' | 'later' } | UpdatePlan;

export interface UpdatePlan {
  write: 'update';
  /** As of a submission's view of the record. */
  exactBound?: { was: number | undefined; becomes: number } | undefined;
}

interface Context {
  run: RunningImport;
  settings: Pick<ImportSettings, 'mode'>;
  lease: Lease;
}

export type LinePlanner = ReturnType<typeof createLinePlanner>;

/** Decides what the lines of an import do to the records of their persons. */
export function createLinePlanner(deps: {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'find'>;
  limits: RecordLimits;
  maxArrayItems: number;
  moves: Pick<RecordMoves, 'one'>;
  catchUp: SlotStore['catchUp'];
}) {
  const { users, limits, maxArrayItems, moves, catchUp } = deps;
  const conflicts = createConflictReader(deps);

  /** The message of a submission that finds the list full. */
  const arrayFull = (key: string): string => `data.${key} is full: it holds at most ${maxArrayItems} items`;

  /** Why no record can hold the values of a line, if none can. */
  function refusalOf(submission: Submission): { rejected: string } | undefined {
    try {
      refuseOversized(submission, limits, maxArrayItems);
      for (const [key, value] of Object.entries(submission.change.set)) {
        if (Array.isArray(value) && value.length > maxArrayItems) return { rejected: arrayFull(key) };
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { rejected: error.message };
    }
  }

  function insertPlan(submission: Submission): Plan {
    const refusal = refusalOf(submission);
    return refusal ? { result: refusal } : { write: 'insert' };
  }

  function updatePlan(submission: Submission, facts: RecordFacts): Plan {
    const refusal = refusalOf(submission);
    if (refusal) return { result: refusal };
    const { change, growth, maxBound } = submission;
    for (const [key, items] of Object.entries(change.append)) {
      const type = facts.types?.[key] ?? 'missing';
      if (type !== 'missing' && type !== 'array') return { write: 'explain' };
      if ((facts.arraySizes?.[key] ?? 0) + items.length > maxArrayItems) {
        return { result: { rejected: arrayFull(key) } };
      }
    }
    if (growth > 0 && (facts.sizeBound ?? 0) + growth > maxBound) return { write: 'explain' };
    return { write: 'update' };
  }

  return {
    /** The plan of a line whose person has no record. */
    insertPlan,

    /**
     * The plan of a line. Nothing is written.
     *
     * @param facts the record of its person, if there is one
     * @throws {OutdatedSchema} when the record has a newer schema version than the lease
     */
    planOf(line: BatchLine, facts: RecordFacts | undefined, { run, settings, lease }: Context): Plan {
      const applied = appliedBefore(line, facts, run._id);
      if (applied) return { result: applied };
      const { submission, refusal } = line;
      if (!submission) return { result: { rejected: refusal ?? 'is refused' } };
      if (!facts) {
        if (settings.mode === 'update') return { result: { rejected: 'no record has this email' } };
        return insertPlan(submission);
      }
      if (settings.mode === 'insert') return { result: { rejected: 'a record of this email exists' } };
      if (facts.schemaVersion > lease.schema.version) throw new OutdatedSchema();
      // The record is moved first (decision 22).
      if (lease.renames && facts.schemaVersion < lease.renames.version) return { write: 'explain' };
      // The record was written under later slots than those of the lease.
      if ((facts.slotEpoch ?? 0) > (lease.app.slotEpoch ?? 0)) return { write: 'explain' };
      if (facts.isSame) return { result: 'unchanged' };
      return updatePlan(submission, facts);
    },

    /**
     * The plan of a line whose record is near its limits, is to be moved, or has a value that has
     * to become a list. Moves the record, or converts the value.
     *
     * @throws {OutdatedSchema} as `planOf`
     */
    async explain(submission: Submission): Promise<Plan> {
      const conflict = await conflicts.explain(submission);
      switch (conflict.reason) {
        case 'not-an-array':
          await turnIntoArray(users, submission, conflict.key);
          return { write: 'later' };
        case 'unmoved': {
          const { appId, email, renames } = submission;
          if (renames) await moves.one({ appId, email }, renames);
          return { write: 'later' };
        }
        case 'newer-schema':
          throw new OutdatedSchema();
        case 'newer-slots':
          await catchUp(submission.appId, conflict.slotEpoch);
          throw new OutdatedSchema();
        case 'array-full':
          return { result: { rejected: arrayFull(conflict.key) } };
        case 'record-full':
          return { result: { rejected: 'the record would be too large' } };
        case 'too-many-keys':
          return { result: { rejected: 'the record would have too many keys' } };
        case 'retry':
          return { write: 'update', exactBound: conflict.view.exactBound };
        default:
          return { write: 'later' };
      }
    },
  };
}

/** The result of an earlier attempt, which left the mark of the line in the record. */
export function appliedBefore(
  { number }: BatchLine,
  facts: RecordFacts | undefined,
  importId: Types.ObjectId,
): LineMark['result'] | undefined {
  const { id, line = 0, result } = facts?.import ?? {};
  return id?.equals(importId) && line >= number ? result : undefined;
}

export function isRejected(result: LineResult | undefined): result is { rejected: string } {
  return typeof result === 'object';
}

/** Records have up to 1 MB each. */
const BATCH_SIZE = 100;
/** The most keys that a read names. Lines may have keys beyond the schema, each line others. */
const MAX_KEYS = 400;

/** A line to apply, or one that is refused unless it was applied before. */
export interface BatchLine {
  number: number;
  email: string;
  submission?: Submission | undefined;
  refusal?: string | undefined;
}

/** What a line needs to know of the stored record of its person. */
export interface RecordFacts
  extends Pick<
    UserDocument,
    '_id' | 'createdAt' | 'updatedAt' | 'schemaVersion' | 'arraySizes' | 'sizeBound' | 'import' | 'slotEpoch'
  > {
  /** The BSON types of the stored values to which lines append. */
  types?: Record<string, string>;
  /** Whether the line would change no value. */
  isSame: boolean;
}

interface Found extends Omit<RecordFacts, 'isSame'> {
  email: string;
  data?: Record<string, unknown>;
}

/**
 * Reads the records of the persons of these lines, by email. A record is compared with its line as
 * soon as it is read, so memory does not grow with the size of records.
 */
export async function readFacts(
  users: UserCollection,
  appId: Types.ObjectId,
  lines: readonly BatchLine[],
): Promise<Map<string, RecordFacts>> {
  const byEmail = new Map(lines.map((line) => [line.email, line]));
  const set = new Set<string>();
  const append = new Set<string>();
  for (const { submission } of lines) {
    for (const key of Object.keys(submission?.change.set ?? {})) set.add(key);
    for (const key of Object.keys(submission?.change.append ?? {})) append.add(key);
  }
  const values = set.size > MAX_KEYS ? ['data'] : [...set].map((key) => `data.${key}`);
  const projection = {
    ...{ email: 1, createdAt: 1, updatedAt: 1, schemaVersion: 1, arraySizes: 1, sizeBound: 1, import: 1, slotEpoch: 1 },
    ...Object.fromEntries(values.map((path) => [path, 1])),
    ...(append.size > 0 && { types: Object.fromEntries([...append].map((key) => [key, { $type: `$data.${key}` }])) }),
  };
  const found = users.find<Found>(
    { appId, email: { $in: [...byEmail.keys()] } },
    { projection, batchSize: BATCH_SIZE, hint: { appId: 1, email: 1 }, readConcern: { level: 'majority' } },
  );
  const facts = new Map<string, RecordFacts>();
  for await (const { data = {}, email, ...record } of found) {
    const change = byEmail.get(email)?.submission?.change;
    const isSame =
      change !== undefined &&
      Object.values(change.append).every((items) => items.length === 0) &&
      Object.entries(change.set).every(([key, value]) => isSameValue(data[key], value));
    facts.set(email, { ...record, isSame });
  }
  return facts;
}

/** Items of lists are compared without the times at which they were stored. */
function isSameValue(stored: unknown, value: unknown): boolean {
  if (stored === value) return true;
  if (!Array.isArray(stored) || !Array.isArray(value)) return isDeepStrictEqual(stored, value);
  return isDeepStrictEqual(stored.map(withoutTime), value.map(withoutTime));
}

function withoutTime(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  return rest;
}
