import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, ObjectId } from 'mongodb';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import { lookup } from '../../platform/database/lookups.ts';
import { firstOfEachApp } from '../../platform/jobs/turn-job.ts';
import type {
  Counters,
  FilePosition,
  ImportCollection,
  ImportDocument,
  ImportSettings,
  Omission,
  SearchedFile,
} from './imports.model.ts';

/** After its last change of state. */
export const KEEP_IMPORT_MS = 30 * 24 * 60 * 60 * 1_000;
/** Spec 4.7. */
export const MAX_ERRORS = 20;
const MAX_RUNNING = 1_000;
const POLL_MS = 25;
/** The erasures of which a file knows how far they have searched it. */
const MAX_SEARCHED = 100;

const PERSON_ERASED = 'A person of the archive was erased; export again and import the new archive';

type EndState = Exclude<ImportDocument['state'], 'uploading' | 'running' | 'deleting'>;

export interface BatchOutcome {
  counters: Counters;
  errors: { line: number; message: string }[];
  /** The first values that lines were applied without. */
  omissions?: Omission[];
  position: FilePosition;
  end?: EndState;
  failure?: string;
}

export type RunningImport = Pick<ImportDocument, '_id' | 'excluded'> & { runner: number };

/**
 * Matches an import while a run may write for it, and never again after it did not match: the
 * number of runs and the erased persons only grow.
 */
export function whileRunBy({ _id, runner, excluded }: RunningImport) {
  return { _id, runner, state: 'running' as const, excluded: { $size: excluded.length } };
}

export type ImportStore = ReturnType<typeof createImportStore>;

/** `now` returns the time from which MongoDB keeps them. */
export function createImportStore(imports: ImportCollection, now: () => Date) {
  const visible = { state: { $ne: 'deleting' as const } };
  const newExpiry = (): Date => new Date(now().getTime() + KEEP_IMPORT_MS);

  const endedAs = (state: EndState, failure?: string) => ({
    state,
    endedAt: new Date(),
    expiresAt: newExpiry(),
    cleanup: true as const,
    ...(failure !== undefined && { failure }),
  });

  async function hasEndedBatch({ _id, runner, position }: ImportDocument): Promise<boolean> {
    const current = await imports.findOne({ _id }, { projection: { state: 1, runner: 1, 'position.offset': 1 } });
    if (!current || current.state === 'deleting') return false;
    if (current.runner === undefined) return true;
    return current.runner === runner && current.position?.offset !== position?.offset;
  }

  return {
    async create(app: { id: ObjectId; sourceAppId: string }, settings: ImportSettings): Promise<ImportDocument> {
      const created: ImportDocument = {
        _id: new ObjectId(),
        appId: app.id,
        sourceAppId: app.sourceAppId,
        settings,
        state: 'uploading',
        createdAt: new Date(),
        expiresAt: newExpiry(),
        received: 0,
        chunks: [],
        counters: noCounts(),
        firstErrors: [],
        excluded: [],
        // Of its own: hashes of two imports cannot be compared.
        exclusionKey: new Binary(randomBytes(BYTES)),
      };
      await imports.insertOne(created);
      return created;
    },

    /** Resolves with the file name of each import that exists, or an empty string, by its id. */
    async named(ids: readonly ObjectId[]): Promise<Map<string, string>> {
      const options = { projection: { 'settings.fileName': 1 } } as const;
      const found = await imports.find({ _id: { $in: [...ids] }, ...visible }, options).toArray();
      return new Map(found.map(({ _id, settings }) => [_id.toHexString(), settings.fileName ?? '']));
    },

    find: async (appId: ObjectId, _id: ObjectId): Promise<ImportDocument | undefined> =>
      (await imports.findOne({ _id, appId, ...visible })) ?? undefined,

    list: (appId: ObjectId, limit: number): Promise<ImportDocument[]> =>
      imports
        .find({ appId, ...visible }, { projection: { chunks: 0, excluded: 0, searched: 0 }, sort: { _id: -1 }, limit })
        .toArray(),

    unfinished: (appId: ObjectId, limit: number): Promise<number> =>
      imports.countDocuments({ appId, state: { $in: ['uploading', 'running'] } }, { limit }),

    /** Starts an import if its file is as it was read; resolves with the new expiry, if so. */
    async start(
      { _id, received, upload }: ImportDocument,
      layout: NonNullable<ImportDocument['layout']>,
      position: FilePosition,
    ): Promise<Date | undefined> {
      const expiresAt = newExpiry();
      const same = { received, upload: { $in: [upload, null] } };
      const { matchedCount } = await imports.updateOne(
        typedFilter<ImportDocument>({ _id, state: 'uploading', ...same }),
        {
          $set: { state: 'running', layout, position, startedAt: new Date(), expiresAt },
          $unset: { upload: 1 },
        },
      );
      return matchedCount === 1 ? expiresAt : undefined;
    },

    /** Resolves with false when the app has no such import. */
    async markDeleted(appId: ObjectId, _id: ObjectId): Promise<boolean> {
      const update = { $set: { state: 'deleting' as const, cleanup: true as const }, $unset: { runner: 1 as const } };
      return (await imports.updateOne({ _id, appId, ...visible }, update)).matchedCount === 1;
    },

    /** Looks for an import that runs, or whose data is to be removed. */
    anyWork: lookup(imports, { $or: [{ state: 'running' }, { cleanup: true }] }),

    /** Resolves with the running import of each app that was started first. */
    async nextPerApp(): Promise<ImportDocument[]> {
      const options = { projection: { appId: 1, runs: 1 }, sort: { startedAt: 1 }, limit: MAX_RUNNING } as const;
      return firstOfEachApp(await imports.find({ state: 'running' }, options).toArray());
    },

    running: async (_id: ObjectId): Promise<ImportDocument | undefined> =>
      (await imports.findOne({ _id, state: 'running' })) ?? undefined,

    /**
     * Starts a run, from now on the only one that may write. `isClean`: the previous run was
     * released. Undefined when the import does not run, or another run has begun.
     */
    async claim(found: ImportDocument): Promise<{ runner: number; isClean: boolean } | undefined> {
      const { _id, runs } = found;
      const runner = (runs ?? 0) + 1;
      const filter = { _id, state: 'running' as const, runs: runs ?? { $exists: false } };
      const before = await imports.findOneAndUpdate(filter, { $set: { runner, runs: runner } });
      return before ? { runner, isClean: before.runner === undefined } : undefined;
    },

    /** Ends a run that has no writes in flight. */
    async release(_id: ObjectId, runner: number): Promise<void> {
      await imports.updateOne({ _id, runner }, { $unset: { runner: 1 } });
    },

    /** Stores the outcome of a batch in one step; false when the run may no longer write. */
    async commit(
      known: RunningImport & Pick<ImportDocument, 'position'>,
      { counters, errors, omissions = [], position, end, failure }: BatchOutcome,
    ): Promise<boolean> {
      const filter = { ...whileRunBy(known), 'position.offset': known.position?.offset };
      const { matchedCount } = await imports.updateOne(filter, {
        $set: { position, ...(end && endedAs(end, failure)) },
        $inc: Object.fromEntries(Object.entries(counters).map(([name, count]) => [`counters.${name}`, count])),
        $push: {
          firstErrors: { $each: errors, $slice: MAX_ERRORS },
          ...(omissions.length > 0 && { firstOmissions: { $each: omissions, $slice: MAX_ERRORS } }),
        },
        ...(end && { $unset: { runner: 1 as const } }),
      });
      return matchedCount === 1;
    },

    async fail({ _id, runner }: Pick<RunningImport, '_id' | 'runner'>, failure: string): Promise<void> {
      const update = { $set: endedAs('failed', failure), $unset: { runner: 1 as const } };
      await imports.updateOne({ _id, runner, state: 'running' }, update);
    },

    /** Some imports with data to remove. */
    toCleanUp: (): Promise<ImportDocument[]> => imports.find({ cleanup: true }, { limit: 10 }).toArray(),

    async cleanedUp({ _id, state }: ImportDocument): Promise<void> {
      if (state === 'deleting') await imports.deleteOne({ _id, state });
      else
        await imports.updateOne(
          { _id, state },
          { $set: { chunks: [], excluded: [] }, $unset: { cleanup: 1, searched: 1 } },
        );
    },

    /**
     * Ends an import whose archive may have lines of an erased person; before its start, the
     * archive has to be sent again. A batch in progress is released by its run.
     */
    async dropArchive({ _id }: Pick<ImportDocument, '_id'>, until: Until): Promise<void> {
      const those = { _id, ...beginsBefore(await until()) };
      const empty = { $set: { received: 0, chunks: [] }, $unset: { upload: 1 as const } };
      await imports.updateOne({ ...those, state: 'uploading' }, empty);
      await imports.updateOne({ ...those, state: 'running' }, { $set: endedAs('failed', PERSON_ERASED) });
    },

    withContent: (appIds: readonly ObjectId[]): AsyncIterable<ImportDocument> =>
      imports.find({ appId: { $in: [...appIds] }, $or: [{ state: 'uploading' }, { 'chunks.0': { $exists: true } }] }),

    /** Refuses lines of a person in unfinished imports. Yields those that may be writing. */
    async *exclude(appIds: readonly ObjectId[], email: string): AsyncGenerator<ImportDocument> {
      const unfinished = { state: { $in: ['uploading', 'running'] as ImportDocument['state'][] } };
      const found = imports.find({ appId: { $in: [...appIds] }, ...unfinished }, { projection: { exclusionKey: 1 } });
      for await (const one of found) {
        const update = { $addToSet: { excluded: exclusionKeyFor(one, email) }, $unset: { upload: 1 as const } };
        const excluded = await imports.findOneAndUpdate({ _id: one._id, ...unfinished }, update);
        if (excluded?.runner !== undefined) yield excluded;
      }
    },

    /** Resolves when no insert from before these imports were read is in progress. */
    async batchesEnded(all: readonly ImportDocument[]): Promise<void> {
      const until = performance.now() + STATEMENT_ENDS_MS;
      for (const one of all) {
        while (performance.now() < until && !(await hasEndedBatch(one))) await sleep(POLL_MS);
      }
    },

    /** How far an earlier erasure of this person has searched the file. */
    searchedFor(one: ImportDocument, email: string): Pick<SearchedFile, 'clean' | 'record'> {
      const [person, [first]] = [exclusionKeyFor(one, email), one.chunks];
      const isSame = (known: SearchedFile) => hasSameBytes(known.person, person) && first?.equals(known.first);
      return one.searched?.find(isSame) ?? { clean: 0, record: 0 };
    },

    async keepSearched(
      one: ImportDocument,
      email: string,
      to: Pick<SearchedFile, 'clean' | 'record'>,
      until: Until,
    ): Promise<void> {
      const [person, [first]] = [exclusionKeyFor(one, email), one.chunks];
      if (!first) return;
      const known = { $filter: { input: { $ifNull: ['$searched', []] }, cond: { $ne: ['$$this.person', person] } } };
      const searched = { $slice: [{ $concatArrays: [known, [{ person, first, ...to }]] }, -MAX_SEARCHED] };
      await imports.updateOne({ _id: one._id, ...beginsBefore(await until()) }, [{ $set: { searched } }]);
    },

    /** Ends the right to write the file of the request that has it. */
    endUpload: async (_id: ObjectId): Promise<ImportDocument | undefined> =>
      (await imports.findOneAndUpdate({ _id }, { $unset: { upload: 1 } }, { returnDocument: 'after' })) ?? undefined,
  };
}

/** The result of a batch without lines. */
export function noCounts(): Counters {
  return { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
}

const hasSameBytes = (a: Binary, b: Binary): boolean => a.toString('hex') === b.toString('hex');

const BYTES = 16;

/** The hash by which an import recognizes the lines of an erased person. */
export function exclusionKeyFor({ exclusionKey }: Pick<ImportDocument, 'exclusionKey'>, email: string): Binary {
  const key = Buffer.from(exclusionKey.buffer).subarray(0, exclusionKey.position);
  return new Binary(createHmac('sha256', key).update(email).digest().subarray(0, BYTES));
}

/** Returns the test whether an email was excluded from an import. */
export function exclusionTest(document: Pick<ImportDocument, 'exclusionKey' | 'excluded'>): (email: string) => boolean {
  if (document.excluded.length === 0) return () => false;
  const excluded = new Set(document.excluded.map((hash) => hash.toString('hex')));
  return (email) => excluded.has(exclusionKeyFor(document, email).toString('hex'));
}
