import { type Filter, type ObjectId, UUID } from 'mongodb';
import type { AppOwned } from '../../core/feature.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { beginsBefore, type DatabaseClock } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { firstIdAt } from '../../platform/database/ordered-ids.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { Job, JobSignal } from '../../platform/jobs/job-runner.ts';
import type { EventConsumer } from '../outbox/outbox.ts';
import type { PersonData } from '../people/person-data.ts';
import type { ErasureGuard, RecordTraces } from '../records/erasure.ts';
import { SETTLED_AFTER_MS } from './file-claims.ts';
import { removalTime } from './file-content.ts';
import { archivePath } from './file-names.ts';
import type { FilePlace, FindPlace } from './file-places.ts';
import type { FileStores } from './file-stores.ts';
import { BY_CHECK, BY_RECORD, type ChunkCollection, type FileCollection, type FileDocument } from './files.model.ts';

const FILE_JOB = 'files';
const EVERY_MS = 1_000;
const BATCH = 100;

/**
 * A chunk whose statement began before its file was marked arrives by then (STATEMENT_TIME_MS), in
 * ms: the content is removed again. The document goes when nothing can arrive any more.
 */
const REMOVED_AGAIN_AFTER_MS = 10_000;
/** How often a file is looked for that only the past of its record or a held submission names. */
const LOOK_AGAIN_MS = 60 * 60_000;
/** How long a server believes that there are no files: less than a claim lasts. */
const NO_FILES_MS = 5_000;

/** What the removal of a file depends on. */
const STORED = { length: 1, 'metadata.appId': 1, 'metadata.store': 1 } as const;
type StoredFile = Pick<FileDocument, '_id' | 'length' | 'metadata'>;

type DueFile = FileDocument & { now: Date };
type MarkedFile = StoredFile & { now: Date };

export type FileCleaner = ReturnType<typeof createFileCleaner>;

/** Removes files that nothing names, and those of erased records and deleted apps (spec 4.14.3). */
export function createFileCleaner(deps: {
  files: FileCollection;
  chunks: ChunkCollection;
  stores: Pick<FileStores, 'of' | 'remove' | 's3'>;
  findPlace: FindPlace;
  clock: Pick<DatabaseClock, 'earlier' | 'read'>;
  guardOfErased: ErasureGuard;
  signal: JobSignal;
  /** Counts files that are gone. */
  onRemoved(files: number): void;
  /** The records and the held submissions of a person. */
  recordsOf(appIds: readonly ObjectId[], email: string): Promise<RecordId[]>;
  heldOf(appIds: readonly ObjectId[], email: string): Promise<UUID[]>;
}) {
  const { files, chunks, stores, findPlace, clock, guardOfErased, signal, onRemoved, recordsOf, heldOf } = deps;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let existAny = false;

  /**
   * Whether there are files, for the events of records. It may be late: each claim of a file for a
   * record sets a time at which the file is examined.
   */
  async function hasFiles(): Promise<boolean> {
    if (existAny || performance.now() - lookedAt < NO_FILES_MS) return existAny;
    const now = performance.now();
    existAny = (await files.findOne({}, { projection: { _id: 1 }, sort: { _id: 1 } })) !== null;
    lookedAt = now;
    return existAny;
  }

  /**
   * Removes the content of those files that are marked now. While this process is suspended,
   * another one may remove them, and an operator restore them. Resolves with the filter of those
   * whose content is gone, while it may be relied on.
   */
  async function removeContent(found: readonly StoredFile[]): Promise<Filter<FileDocument>> {
    const marked = typedFilter<FileDocument>({ ...these(found), 'metadata.state': 'removing' });
    const present = await files.find<MarkedFile>(marked, { projection: { ...STORED, now: '$$NOW' } }).toArray();
    const time = removalTime(clock, present[0]?.now ?? new Date(0));
    await stores.remove(present, time);
    return typedFilter<FileDocument>({ ...marked, ...these(present), ...beginsBefore(time.until) });
  }

  /** Removes marked files with all their content; resolves with their number. */
  async function removeWhole(found: readonly StoredFile[]): Promise<number> {
    const { deletedCount } = await files.deleteMany(await removeContent(found));
    onRemoved(deletedCount);
    return deletedCount;
  }

  /** Removes the files that match, whatever names them; resolves with their number. */
  async function removeNamed(matching: Filter<FileDocument>, guard?: RemovalGuard): Promise<number> {
    let removed = 0;
    for (;;) {
      const found = await files.find(matching, { projection: STORED, limit: BATCH }).toArray();
      if (found.length === 0) return removed;
      const inTime = guard && beginsBefore(await guard());
      const those = { $and: [matching, typedFilter<FileDocument>(these(found))], ...inTime };
      // The job goes on if this process stops, or if the store does not answer.
      await files.updateMany(those, [{ $set: REMOVING }]);
      removed += await removeWhole(found);
    }
  }

  const removeOf = (appIds: readonly ObjectId[], ids: readonly DocumentId[]): Promise<number> =>
    removeNamed(ofRecords(appIds, ids), guardOfErased(appIds, ids));

  async function ofPerson(appIds: readonly ObjectId[], email: string): Promise<Filter<FileDocument>[]> {
    const [records, held] = [await recordsOf(appIds, email), await heldOf(appIds, email)];
    // A file of a change has both.
    const ofHeld = { 'metadata.held': { $in: held }, 'metadata.record': { $nin: records } };
    return [{ 'metadata.record': { $in: records } }, ofHeld].map((one) =>
      typedFilter<FileDocument>({ 'metadata.appId': { $in: [...appIds] }, ...one }),
    );
  }

  /** Has the files that match examined now. @param change further members that they get */
  async function examineNow(matching: Filter<FileDocument>, change: Record<string, string> = {}): Promise<void> {
    const found = await files.find(matching, { projection: { 'metadata.appId': 1 } }).toArray();
    if (found.length === 0) return;
    await files.updateMany(typedFilter<FileDocument>({ ...these(found), 'metadata.state': 'whole' }), [
      { $set: { ...change, 'metadata.checkAt': '$$NOW' } },
    ]);
    signal.wake(FILE_JOB);
  }

  async function remove(file: DueFile): Promise<void> {
    const { state, store } = file.metadata;
    const lateMs = Math.max(REMOVED_AGAIN_AFTER_MS, store === 's3' ? (stores.s3?.lateMs ?? 0) : 0);
    const marked = { ...REMOVING, 'metadata.claim': { id: new UUID(), until: { $add: ['$$NOW', lateMs] } } };
    if ((await files.updateOne(asRead(file), [{ $set: marked }])).matchedCount === 0) return;
    await (state === 'whole' ? removeWhole([file]) : removeContent([file]));
  }

  async function lookAgain(file: DueFile, ms: number): Promise<void> {
    await files.updateOne(asRead(file), [{ $set: { 'metadata.checkAt': { $add: ['$$NOW', ms] } } }]);
  }

  /** A record names the file, and no earlier value of it may go. */
  async function settle(file: DueFile): Promise<void> {
    // The content is in the store: a server may have stopped before it removed the chunks.
    if (file.metadata.store === 's3') await chunks.deleteMany({ files_id: file._id });
    await files.updateOne(asRead(file), { $unset: { 'metadata.checkAt': 1, 'metadata.claim': 1 } });
  }

  async function examine(file: DueFile): Promise<void> {
    const { state, record, held, claim, token, expiresAt } = file.metadata;
    const now = file.now.getTime();
    if (state === 'removing') {
      // The end of what may arrive late.
      const untilEnd = (claim?.until.getTime() ?? 0) - now;
      if (untilEnd <= 0) return void (await removeWhole([file]));
      await removeContent([file]);
      return lookAgain(file, untilEnd);
    }
    if (!record && !held) {
      const untilExpiry = expiresAt.getTime() - now;
      return untilExpiry > 0 ? lookAgain(file, untilExpiry) : remove(file);
    }
    const left = claim ? claim.until.getTime() + SETTLED_AFTER_MS - now : 0;
    if (left > 0) return lookAgain(file, left);
    const places = [await findPlace(file, 'majority'), await findPlace(file, 'local')];
    const are = (...these: FilePlace[]): boolean => places.every((place) => these.includes(place));
    if (are('record')) return settle(file);
    // A record that was adopted once goes by an erasure only, or a restore brings it later.
    if (are('nowhere') || (claim && are('nowhere', 'no record'))) {
      // The write of the claim was probably not stored, and another submission may have the token.
      const untilExpiry = claim && token ? expiresAt.getTime() - now : 0;
      return untilExpiry > 0 ? lookAgain(file, untilExpiry) : remove(file);
    }
    const isSure = are('past') || are('held') || are('no record');
    return lookAgain(file, isSure ? LOOK_AGAIN_MS : SETTLED_AFTER_MS);
  }

  const due = () => typedFilter<FileDocument>({ 'metadata.checkAt': { $lte: clock.earlier() } });

  return {
    job: {
      name: FILE_JOB,
      everyMs: EVERY_MS,
      hasWork: (hasAny) => hasAny([lookup(files, due())]),
      async run({ stillOwner }) {
        const options = {
          projection: { length: 1, metadata: 1, now: '$$NOW' },
          hint: BY_CHECK,
          sort: BY_CHECK,
          limit: BATCH,
        };
        const found = await files.find<DueFile>(due(), options).toArray();
        const failures: unknown[] = [];
        for (const file of found) {
          if (!stillOwner()) return false;
          // The others do not wait for a file whose store does not answer.
          await examine(file).catch((error: unknown) => failures.push(error));
        }
        if (failures.length > 0) throw failures[0];
        return found.length === BATCH;
      },
    } satisfies Job,

    /**
     * Examines the files of a held submission that is gone: stored, deleted or erased.
     * @param isUsed whether its sender was told that it is stored, so that its tokens are used up
     */
    async releaseHeld(appId: ObjectId, held: UUID, isUsed = true): Promise<void> {
      const ofHeld = typedFilter<FileDocument>({ 'metadata.appId': appId, 'metadata.held': held });
      await examineNow(ofHeld, isUsed ? { 'metadata.expiresAt': '$$NOW' } : {});
    },

    /** Examines the files of changed records, and removes those of erased ones. */
    consumer: {
      async consume(events) {
        if (!(await hasFiles())) return;
        const ofType = (type: (typeof events)[number]['type']) => {
          const those = events.filter((event) => event.type === type);
          return [those.map(({ appId }) => appId), those.map(({ recordId }) => recordId)] as const;
        };
        const [erased, updated] = [ofType('user.erased'), ofType('user.updated')];
        if (erased[1].length > 0) await removeOf(...erased);
        if (updated[1].length > 0) await examineNow(ofRecords(...updated));
      },
    } satisfies EventConsumer,

    /** Files as traces of records that are erased. */
    traces: {
      exist: async (appIds, ids) =>
        (await files.findOne(ofRecords(appIds, ids), { projection: { _id: 1 }, hint: BY_RECORD })) !== null,
      remove: removeOf,
    } satisfies RecordTraces,

    /** The files of a person. The entries of records and of held submissions name them. */
    personal: {
      name: 'files',
      async *entriesOf() {},
      async *filesOf(appIds, email) {
        for (const those of await ofPerson(appIds, email)) {
          // What waits for the scanner, or is infected, is not given out.
          const readable = { ...those, 'metadata.state': 'whole' as const, 'metadata.scan': { $exists: false } };
          for await (const file of files.find(typedFilter<FileDocument>(readable), { batchSize: BATCH })) {
            const content = stores.of(file.metadata).read(file, { start: 0, end: file.length - 1 });
            const id = String(file._id);
            yield { id, path: archivePath(id, file.filename), content, modified: file.uploadDate };
          }
        }
      },
      async eraseOf(appIds, email, guard) {
        let removed = 0;
        for (const those of await ofPerson(appIds, email)) removed += await removeNamed(those, guard);
        return removed;
      },
    } satisfies PersonData,

    owned: {
      removeAll: (appId, since, guard) =>
        removeNamed(
          typedFilter<FileDocument>({ 'metadata.appId': appId, ...(since && { _id: { $gte: firstIdAt(since) } }) }),
          guard,
        ),
      async has(appId, made, time) {
        const _id = { [made === 'before' ? '$lt' : '$gte']: firstIdAt(time) };
        const those = typedFilter<FileDocument>({ 'metadata.appId': appId, _id });
        return (await files.findOne(those, { projection: { _id: 1 } })) !== null;
      },
    } satisfies AppOwned,
  };
}

/** The members of a file whose content is about to be removed, in an aggregation. */
const REMOVING = {
  'metadata.state': 'removing',
  'metadata.checkAt': { $add: ['$$NOW', REMOVED_AGAIN_AFTER_MS] },
  // No write may name it any more.
  'metadata.claim': '$$REMOVE',
};

/** Matches files by the members of the shard key. */
const these = (found: readonly Pick<FileDocument, '_id' | 'metadata'>[]) => ({
  _id: { $in: found.map(({ _id }) => _id) },
  'metadata.appId': { $in: found.map(({ metadata }) => metadata.appId) },
});

const ofRecords = (appIds: readonly ObjectId[], ids: readonly DocumentId[]) =>
  typedFilter<FileDocument>({ 'metadata.appId': { $in: [...appIds] }, 'metadata.record': { $in: [...ids] } });

/** Matches a file as it was read: nobody claimed it, and no event came. */
function asRead({ _id, metadata }: DueFile): Filter<FileDocument> {
  const { appId, state, checkAt, record, held, claim } = metadata;
  const same = (value: unknown) => value ?? { $exists: false };
  return typedFilter<FileDocument>({
    _id,
    'metadata.appId': appId,
    'metadata.state': state,
    'metadata.checkAt': same(checkAt),
    'metadata.record': same(record),
    'metadata.held': same(held),
    'metadata.claim.id': same(claim?.id),
  });
}
