import { isDeepStrictEqual } from 'node:util';
import type { Types } from 'mongoose';
import type { Submission } from '../../submissions/store/submission.ts';
import type { UserCollection, UserDocument } from '../../users/users.model.ts';

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
