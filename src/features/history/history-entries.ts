import { isDeepStrictEqual } from 'node:util';
import { BSON, ObjectId, UUID } from 'mongodb';
import type { RecordChange } from '../../core/fields/compile.ts';
import type { UserDocument } from '../../core/users/users.model.ts';
import { createTurns } from '../../platform/core/turns.ts';
import { type DocumentOf, Mixed, only, schema } from '../../platform/database/mongoose.ts';
import { type PendingRenames, presentKey } from '../renames/renames.ts';

/** A changed value. `data.<key>[]`: items of a list; `after` were appended, `before` removed. */
const historyChangeSchema = schema({
  path: { type: String, required: true },
  before: Mixed,
  after: Mixed,
  /** The values were too large to keep. */
  omitted: only<true>(Boolean),
});
export type HistoryChange = DocumentOf<typeof historyChangeSchema>;

/**
 * Who changed a record. No member but `kind`: the shared password of the app, the public, the
 * person itself by a link (`person`), or the virus scanner (`scan`), which marked a file.
 */
export const authorSchema = schema({
  kind: { type: only<'submission' | 'edit' | 'person' | 'import' | 'revert' | 'scan'>(String), required: true },
  /** The ids of an account, an API key, an import and a bulk change. */
  account: String,
  key: String,
  import: String,
  change: String,
  /** The revision that a revert undid. */
  reverted: Number,
});
export type HistoryAuthor = DocumentOf<typeof authorSchema>;

/** The paths of a change of a record. */
export const historyEntry = {
  /** Of a submission: the id of its event. */
  id: UUID,
  at: { type: Date, required: true },
  by: { type: authorSchema, required: true },
  /** The schema version whose keys the paths have. */
  version: { type: Number, required: true },
  changes: { type: [historyChangeSchema], required: true },
} as const;

/** One change of a record, committed with its write (decision 47). Its place is its revision. */
export const entrySchema = schema(historyEntry);
export type HistoryEntry = DocumentOf<typeof entrySchema>;

export const historyMoveSchema = schema({
  token: { type: ObjectId, required: true },
  until: { type: Date, required: true },
});

/** The members of a record with a history. */
export interface WithHistory {
  /** The newest entries of the history, oldest first. Others are in `history`. */
  history?: HistoryEntry[];
  /** The number of entries ever made: the revision of the last one. */
  revision?: number;
  /** The size of `history` in bytes. It does not count for the size of the record. */
  historyBytes?: number;
  /** While entries are moved to `history`, no erasure deletes the record. */
  historyMove?: DocumentOf<typeof historyMoveSchema>;
  /** Whether entries were ever moved. */
  movedHistory?: true;
}

declare module '../../core/users/users.model.ts' {
  interface UserDocument extends WithHistory {}
}

/** Entries in a record. A record with this many, or with more bytes, moves them (history.ts). */
const MAX_INLINE_ENTRIES = 16;
export const MAX_INLINE_BYTES = 32 * 1024;

const MAX_ENTRY_BYTES = 2 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** For the other entries and members of a document. */
const RESERVED_BYTES = 512 * 1024;

/** The largest entry beside a record of this size, in bytes. */
export function maxEntryBytes(recordLimit: number): number {
  return Math.min(MAX_ENTRY_BYTES, MAX_DOCUMENT_BYTES - RESERVED_BYTES - recordLimit);
}

/** Matches the records whose entries no one moves. */
export const NOT_MOVING = { $expr: { $lte: [{ $ifNull: ['$historyMove.until', new Date(0)] }, '$$NOW'] } };

/** An entry with its size in bytes. */
export interface SizedEntry {
  entry: HistoryEntry;
  bytes: number;
}

/** Leaves the largest values out of an entry that would be larger than `maxBytes`. */
export function sizedEntry(entry: HistoryEntry, maxBytes: number): SizedEntry {
  const bytes = BSON.calculateObjectSize(entry);
  if (bytes <= maxBytes) return { entry, bytes };
  const sizes = entry.changes.map((change, index) => ({ index, size: BSON.calculateObjectSize(change) }));
  const changes = [...entry.changes];
  let left = bytes;
  for (const { index, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (left <= maxBytes) break;
    const { path } = changes[index] as HistoryChange;
    changes[index] = { path, omitted: true };
    left -= size;
  }
  return sizedEntry({ ...entry, changes }, Number.POSITIVE_INFINITY);
}

type Values = Readonly<Record<string, unknown>>;

/** The changes of values between two states of `data`, for these keys. */
export function changesOf(keys: Iterable<string>, before: Values, after: Values): HistoryChange[] {
  const changes: HistoryChange[] = [];
  for (const key of keys) {
    const [had, has] = [Object.hasOwn(before, key), Object.hasOwn(after, key)];
    if (had === has && isDeepStrictEqual(before[key], after[key])) continue;
    changes.push({ path: `data.${key}`, ...(had && { before: before[key] }), ...(has && { after: after[key] }) });
  }
  return changes;
}

/** Matches records that have these values, or none, under the keys. */
export function valuesAre(values: Values, keys: readonly string[]): Record<string, object> {
  const condition = (key: string) => (Object.hasOwn(values, key) ? { $eq: values[key] } : { $exists: false });
  return Object.fromEntries(keys.map((key) => [`data.${key}`, condition(key)]));
}

/** The items that a change appends. */
export function appendedTo({ append }: Pick<RecordChange, 'append'>): HistoryChange[] {
  const lists = Object.entries(append).filter(([, items]) => items.length > 0);
  return lists.map(([key, items]) => ({ path: `data.${key}[]`, after: items }));
}

/** The entry of a submission, as it came. It has no values before (`withReplaced`). */
export function submissionEntry(change: RecordChange, at: Date, version: number, maxBytes: number): SizedEntry {
  const by: HistoryAuthor = { kind: 'submission' };
  const removed = (change.unset ?? []).map((key) => ({ path: `data.${key}` }));
  return sizedEntry(
    {
      at,
      by,
      version,
      changes: [...changesOf(Object.keys(change.set), {}, change.set), ...appendedTo(change), ...removed],
    },
    maxBytes,
  );
}

/** The keys whose stored values the entry of a submission depends on, if any. */
export function replacedKeys({ unset, reset }: Pick<RecordChange, 'unset' | 'reset'>): readonly string[] | undefined {
  return reset ? [...(unset ?? []), ...Object.keys(reset)] : unset;
}

/**
 * Adds the stored values that a submission removes or resets: no other entry may have them. A value
 * that it resets has both values, `null` for none before: what a submission sent has no value
 * before. Undefined: it removes and resets none.
 * @param stored the values of {@link replacedKeys}
 */
export function withReplaced(
  { entry }: SizedEntry,
  { reset = {} }: Pick<RecordChange, 'reset'>,
  stored: Values,
  maxBytes: number,
): SizedEntry | undefined {
  const isRemoved = (key: string): boolean => Object.hasOwn(stored, key) && !Object.hasOwn(reset, key);
  const resets = Object.entries(reset).filter(([key, value]) => stored[key] !== value);
  if (resets.length === 0 && !Object.keys(stored).some(isRemoved)) return undefined;
  const changes = entry.changes.map((change) => {
    const key = change.path.slice('data.'.length);
    return isRemoved(key) ? { path: change.path, before: stored[key] } : change;
  });
  const added = resets.map(([key, after]) => ({ path: `data.${key}`, before: stored[key] ?? null, after }));
  return sizedEntry({ ...entry, changes: [...changes, ...added] }, maxBytes);
}

/** Matches the records with room for an entry. */
export const HAS_ROOM = {
  [`history.${MAX_INLINE_ENTRIES - 1}`]: { $exists: false },
  historyBytes: { $not: { $gt: MAX_INLINE_BYTES } },
} as const;

/** The number of entries in a record and their size. */
export interface InlineSize {
  historyEntries: number;
  historyBytes?: number;
}

/** The projection of {@link InlineSize}. */
export const INLINE_SIZE = {
  historyEntries: { $size: { $ifNull: ['$history', []] } },
  historyBytes: 1,
} as const;

export function isFull({ historyEntries, historyBytes = 0 }: InlineSize): boolean {
  return historyEntries >= MAX_INLINE_ENTRIES || historyBytes > MAX_INLINE_BYTES;
}

export interface NumberedEntry extends HistoryEntry {
  revision: number;
}

/** The entries in a record are the newest ones, in their order. */
export function numbered({ history = [], revision = 0 }: Pick<UserDocument, 'history' | 'revision'>): NumberedEntry[] {
  return history.map((entry, index) => ({ ...entry, revision: revision - (history.length - 1 - index) }));
}

/** Returns changes with the present keys of renamed fields. @param renames oldest first */
export function underPresentKeys(
  { version, changes }: Pick<HistoryEntry, 'version' | 'changes'>,
  renames: readonly PendingRenames[],
): HistoryChange[] {
  const later = renames.filter((one) => one.version > version);
  if (later.length === 0) return changes;
  return changes.map((change) => {
    const [, first = '', rest = ''] = /^data\.([^.[\]]+)(.*)$/.exec(change.path) ?? [];
    return { ...change, path: `data.${presentKey(first, later)}${rest}` };
  });
}

/** Values by key: `lists` are lists to which submissions append. */
interface Undo {
  set: Record<string, unknown>;
  unset: string[];
  lists: Record<string, unknown[]>;
  /** The paths whose values are not those after the changes. */
  changed: string[];
}

/** Resolves with how to restore the values before these changes in a record with `data`. */
export async function undoOf(
  changes: readonly HistoryChange[],
  data: Values,
  isList: (key: string) => boolean,
): Promise<Undo> {
  const undo: Undo = { set: {}, unset: [], lists: {}, changed: [] };
  for (const change of changes) {
    const { path, before, after } = change;
    const key = path.slice('data.'.length).replace(/\[\]$/, '');
    const has = Object.hasOwn(data, key);
    if (path.endsWith('[]')) {
      const list = await restoredItems(has ? data[key] : [], change);
      if (list) undo.lists[key] = list;
      else undo.changed.push(path);
    } else if (has !== Object.hasOwn(change, 'after') || (has && !isDeepStrictEqual(data[key], after))) {
      undo.changed.push(path);
    } else if (!Object.hasOwn(change, 'before')) {
      undo.unset.push(key);
    } else if (isList(key) && Array.isArray(before)) {
      undo.lists[key] = before;
    } else {
      undo.set[key] = before;
    }
  }
  return undo;
}

const timeOf = (item: unknown): string => String((item as { timestamp?: unknown } | null)?.timestamp ?? '');

/** The list without the appended items and with the removed ones; undefined: it changed since. */
async function restoredItems(list: unknown, { before = [], after = [] }: HistoryChange) {
  if (!Array.isArray(list) || !Array.isArray(before) || !Array.isArray(after)) return undefined;
  const left = await withoutItems(list, after);
  const times = new Set(left?.map(timeOf));
  return before.some((item) => times.has(timeOf(item))) ? undefined : left && withItems(left, before);
}

/** Removes the first equal item of the list for each of these; undefined: one has none. */
async function withoutItems(list: readonly unknown[], items: readonly unknown[]): Promise<unknown[] | undefined> {
  const turn = createTurns();
  const times = new Set(items.map(timeOf));
  const wanted = new Map<string, unknown[]>();
  for (const item of items) {
    await turn();
    const text = textOf(item);
    const same = wanted.get(text);
    if (same) same.push(item);
    else wanted.set(text, [item]);
  }
  const left: unknown[] = [];
  for (const one of list) {
    await turn();
    const same = times.has(timeOf(one)) ? (wanted.get(textOf(one)) ?? []) : [];
    const index = same.findLastIndex((item) => isDeepStrictEqual(item, one));
    if (index === -1) left.push(one);
    else same.splice(index, 1);
  }
  return list.length - left.length === items.length ? left : undefined;
}

/** Inserts each of these items before the first one of the list with a later time. */
function withItems(list: readonly unknown[], items: readonly unknown[]): unknown[] {
  const sorted = items.toSorted((one, other) => compare(timeOf(one), timeOf(other)));
  let inserted = 0;
  const restored = list.flatMap((one) => {
    const time = timeOf(one);
    const first = inserted;
    while (inserted < sorted.length && timeOf(sorted[inserted]) < time) inserted += 1;
    return [...sorted.slice(first, inserted), one];
  });
  return [...restored, ...sorted.slice(inserted)];
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * A text that is the same for values that are equal by `isDeepStrictEqual`. Other values can have
 * it too, but none that a client sends as JSON.
 */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    return Object.is(value, -0) ? '-0' : String(JSON.stringify(value));
  }
  const members = Object.entries(value).sort(([one], [other]) => compare(one, other));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`).join()}}`;
}
