import type { Document, ObjectId, UUID } from 'mongodb';
import {
  NEWEST_FIRST,
  type RecordFilter,
  theseRecords,
  type UserCollection,
  type UserDocument,
} from '../../core/users/users.model.ts';
import type { Job, StepContext } from '../../platform/jobs/job.ts';
import type { SlotHandover } from '../indexes/slot-handover.ts';
import { readNext } from '../record-reads/record-filters.ts';
import { createRecordPasses, isUnknown, type PassDeps, workOnEach } from '../record-reads/record-passes.ts';
import type { DueCheck, OpenRenames, RenameStore } from '../renames/rename-store.ts';
import { type DisplacedNames, displacedNames, type PendingRenames } from '../renames/renames.ts';

/** Matches the records with a value under an old key. */
function unmovedFilter({ version, pairs }: PendingRenames, ofParts: readonly string[]): RecordFilter {
  const hasOldKey = pairs.flatMap(({ from }) =>
    ['data', ...ofParts].map((member) => ({ [`${member}.${from}`]: { $exists: true } })),
  );
  return { schemaVersion: { $lt: version }, $or: hasOldKey };
}

/** The same condition as an expression of an aggregation. */
function isUnmoved({ version, pairs }: PendingRenames, ofParts: readonly string[]): object {
  const hasOldKey = pairs.flatMap(({ from }) => ['data', ...ofParts].map((member) => has(`$${member}.${from}`)));
  return { $and: [{ $lt: ['$schemaVersion', version] }, { $or: hasOldKey }] };
}

/**
 * Keeps the order of the keys. With the new `schemaVersion` the record refuses writes that were
 * checked against an earlier version, so no late write restores an old key (invariant 4).
 */
function moveUpdate(renames: PendingRenames, ofParts: readonly string[]): Document[] {
  const ofData = objectKeys('$data');
  const members = [
    // The size of a list has the name of the list.
    ...['data', 'arraySizes'].map((member) => [member, renamedMember(member, ofData, renames)]),
    ...ofParts.map((member) => {
      const keys = { $setUnion: [ofData, objectKeys(`$${member}`)] };
      return [member, renamedMember(member, keys, renames)];
    }),
  ];
  return [{ $set: { ...Object.fromEntries(members), schemaVersion: renames.version } }];
}

/** @param keys those that a new name must not have, in an aggregation */
function renamedMember(member: string, keys: object, renames: PendingRenames): object {
  const { pairs, reserved = [] } = renames;
  const names = displacedNames(renames);
  const path = `$${member}`;
  // The size of a list is moved with the list.
  const isDisplaced = (from: string) => ({ $or: [has(`$data.${from}`), has(`$${member}.${from}`)] });
  const branches = pairs.flatMap(({ from, to }) => [
    branch({ $eq: ['$$member.k', from] }, to),
    branch({ $and: [{ $eq: ['$$member.k', to] }, isDisplaced(from)] }, freeName(names.get(to) as DisplacedNames)),
  ]);
  const k = { $switch: { branches, default: '$$member.k' } };
  const renamed = {
    $let: {
      vars: { taken: { $concatArrays: [keys, [...reserved]] } },
      in: { $arrayToObject: { $map: { input: { $objectToArray: path }, as: 'member', in: { k, v: '$$member.v' } } } },
    },
  };
  return { $cond: [{ $eq: [{ $type: path }, 'object'] }, renamed, { $ifNull: [path, '$$REMOVE'] }] };
}

const objectKeys = (path: string): object => ({
  $map: { input: { $objectToArray: { $cond: [{ $eq: [{ $type: path }, 'object'] }, path, {}] } }, in: '$$this.k' },
});

/** The first name that is not in the array `taken`, in the order of `withRenamedKeys`. */
function freeName({ first, numbered, start, step }: DisplacedNames): object {
  // More names than there are keys: one is free.
  const end = { $add: [start, { $multiply: [step, { $add: [{ $size: '$$taken' }, 1] }] }] };
  const names = {
    $map: { input: { $range: [start, end, step] }, in: { $concat: [numbered, { $toString: '$$this' }] } },
  };
  const isFree = { $not: [{ $in: ['$$name', '$$taken'] }] };
  const search = { $first: { $filter: { input: names, as: 'name', cond: isFree } } };
  return first === undefined ? search : { $cond: [{ $in: [first, '$$taken'] }, search, first] };
}

/** Not a literal: JavaScript treats an object with `then` as a promise. */
const branch = (condition: object, result: string | object): object =>
  Object.fromEntries([
    ['case', condition],
    ['then', result],
  ]);

const has = (path: string): object => ({ $ne: [{ $type: path }, 'missing'] });

export type RecordMoves = ReturnType<typeof createRecordMoves>;

/**
 * Moves records, each in one atomic write. The moves are idempotent.
 * @param ofParts members besides `data` that have the keys of fields, also without a value
 */
export function createRecordMoves(users: UserCollection, ofParts: readonly string[] = []) {
  return {
    /** Matches the records with a value under an old key. */
    filterOf: (renames: PendingRenames): RecordFilter => unmovedFilter(renames, ofParts),

    /** The same condition as an expression of an aggregation. */
    conditionOf: (renames: PendingRenames): object => isUnmoved(renames, ofParts),

    async one(
      record: Pick<UserDocument, 'appId' | 'email'> & Partial<Pick<UserDocument, '_id'>>,
      renames: PendingRenames,
    ): Promise<void> {
      await users.updateOne({ ...record, ...unmovedFilter(renames, ofParts) }, moveUpdate(renames, ofParts));
    },

    /** Moves the unmoved ones of the next `limit` records after `from`, newest first. */
    async batch(
      appId: ObjectId,
      renames: PendingRenames,
      from: UUID | undefined,
      limit: number,
    ): Promise<{ visited: number; moved: number; last: UUID | undefined }> {
      const options = { projection: { email: 1 } };
      const found = await readNext<Pick<UserDocument, '_id' | 'email'>>(users, appId, { from, limit }, options);
      if (found.length === 0) return { visited: 0, moved: 0, last: undefined };
      const unmoved = { ...theseRecords(appId, found), ...unmovedFilter(renames, ofParts) };
      const { modifiedCount } = await users.updateMany(unmoved, moveUpdate(renames, ofParts), { hint: NEWEST_FIRST });
      return { visited: found.length, moved: modifiedCount, last: found.at(-1)?._id };
    },
  };
}

const EVERY_MS = 1_000;

/**
 * Moves the values of renamed fields (decision 22), in passes over the records of an app, until a
 * pass that began after the last write of an earlier version moves nothing. A pass visits one part
 * after the other: the records, then the kept submissions.
 */
export function createRenameJob(
  deps: PassDeps & { store: RenameStore; parts: readonly RecordMoves[]; slots: Pick<SlotHandover, 'handOver'> },
): Job {
  const { store, parts, countForDisplay, slots, revision } = deps;
  const { announce, isSettled: hasSettled, nextCheck, inBatches } = createRecordPasses(deps);

  /** Works on one app for a while. Resolves with whether more work waits. */
  async function workOn(app: OpenRenames, context: StepContext): Promise<boolean> {
    const { appId, renames, now } = app;
    let { progress } = app;
    // A server that stored the version may have stopped before it did this.
    await slots.handOver(appId, renames.pairs);
    const isSettled = hasSettled(progress, now);
    if (progress.moved === undefined) {
      const isFirst = progress.isFinal === undefined;
      if (!isFirst && !isSettled) return false;
      const total = isFirst ? await countForDisplay(appId) : progress.total;
      progress = { ...progress, moved: 0, isFinal: isSettled, ...(isFirst && { done: 0, total }) };
      // The dashboard shows from the start how far the move is.
      if (isFirst) await store.advance(app, progress);
    }
    const result = await inBatches(context, async (limit) => {
      const { part = 0, position, ...rest } = progress;
      const { visited, moved, last } = await (parts[part] as RecordMoves).batch(appId, renames, position, limit);
      const done = Math.min(progress.total, progress.done + visited);
      const next = visited === limit && last ? { part, position: last } : { part: part + 1 };
      progress = { ...rest, moved: (progress.moved ?? 0) + moved, done, ...next };
      return next.part === parts.length ? 'end' : undefined;
    });
    if (result === 'end') return endPass();
    if (result === undefined) await store.advance(app, progress);
    return true;

    async function endPass(): Promise<boolean> {
      if (progress.isFinal && progress.moved === 0) {
        await store.finish(app, nextCheck(now, 0));
        await revision.bump(); // so that submissions stop looking for unmoved records soon
        return false;
      }
      const { position: _, moved: __, part: ___, ...ended } = progress;
      await store.advance(app, { ...ended, done: progress.total });
      return isSettled;
    }
  }

  /** Moves values under an old key that another server wrote after the end and did not move. */
  async function search(due: DueCheck, context: StepContext): Promise<boolean> {
    const { appId, version, check, now } = due;
    // A later rename may have renamed the field again.
    const renames = await store.since(appId, version - 1);
    let place: Pick<typeof check, 'part' | 'position'> = check;
    const result = await inBatches(context, async (limit) => {
      const { part = 0, position } = place;
      const moves = parts[part] as RecordMoves;
      let batch: { visited: number; last: typeof position } = { visited: 0, last: undefined };
      for (const one of renames) batch = await moves.batch(appId, one, position, limit);
      place = batch.visited === limit && batch.last ? { part, position: batch.last } : { part: part + 1 };
      if (place.part !== parts.length) return undefined;
      await store.endCheck(due, nextCheck(now, check.done + 1));
      return 'end';
    });
    if (result === undefined) await store.advanceCheck(due, place);
    return result !== 'end';
  }

  return {
    name: 'renames',
    everyMs: EVERY_MS,
    hasWork: (hasAny) => hasAny(store.anyOpen),
    async run(context) {
      const unknown = (await store.open()).filter(({ progress, now }) => isUnknown(progress, now));
      await announce(unknown, store.setKnown);
      const isMoving = await workOnEach(await store.open(), context, (app) => workOn(app, context));
      const isSearching = await workOnEach(await store.dueChecks(), context, (due) => search(due, context));
      return isMoving || isSearching;
    },
  };
}
