import type { ObjectId, ReadConcernLevel, UUID } from 'mongodb';
import type { OperatorLoad } from '../api/operator-load.ts';
import type { Apps } from '../apps/apps.ts';
import type { Feature } from '../apps/feature.ts';
import type { Config } from '../platform/core/config.ts';
import type { Connection } from '../platform/database/client.ts';
import type { DatabaseClock } from '../platform/database/clock.ts';
import type { JobSignal } from '../platform/jobs/job-runner.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { createFileClaims } from './files/file-claims.ts';
import { createFileCleaner } from './files/file-cleaner.ts';
import { createFilePlaces } from './files/file-places.ts';
import { createFileScans } from './files/file-scans.ts';
import type { Files } from './files/files.ts';
import { createHistoryModel, createRecordHistory } from './history/history.ts';
import { createKeptModel, createKeptSubmissions } from './history/kept-submissions.ts';
import { createSlotJob } from './indexes/slot-job.ts';
import { createSlotRecords } from './indexes/slot-records.ts';
import { createSlotStore } from './indexes/slots.ts';
import { createWordJob, createWordStore } from './indexes/word-index.ts';
import { createWordRecords } from './indexes/word-records.ts';
import { createFilePart } from './parts/files.ts';
import { createHistoryPart, HISTORY_MEMBERS } from './parts/history.ts';
import { createIndexPart, INDEX_MEMBERS } from './parts/indexes.ts';
import { createAppliedFinder, createKeyPart, KEY_MEMBERS } from './parts/keys.ts';
import { createOutboxPart, OUTBOX_MEMBERS } from './parts/outbox.ts';
import { createRenamesPart } from './parts/renames.ts';
import { createEmailScan } from './read/email-scan.ts';
import { createInventory } from './read/inventory.ts';
import { createRecordRanges } from './read/ranges.ts';
import { createRecordPages } from './read/record-pages.ts';
import { createPersonRecords, createRecordReader } from './read/record-reader.ts';
import { createOutboxSignal, createRelay, type EventConsumer } from './stored/outbox.ts';
import { CORE_MEMBERS, createUserModel, type UserCollection } from './stored/record.ts';
import { createRecordIds } from './stored/record-id.ts';
import { createRecordMoves, createRenameJob } from './stored/record-moves.ts';
import { createBulkEditor } from './write/bulk-edit.ts';
import { createConfirmationStore } from './write/confirmations.ts';
import {
  createErasureGuard,
  createErasureModel,
  createErasureStore,
  createRecordEraser,
  type RecordTraces,
} from './write/erasure.ts';
import { createGroupCommit } from './write/group-commit.ts';
import { createIdempotencyKeys, createMovedKeyModel } from './write/idempotency-keys.ts';
import { createImportLines } from './write/import-lines.ts';
import { createKeptWrites } from './write/kept-writes.ts';
import { createKnownPeople } from './write/known-people.ts';
import { createRecordEditor } from './write/record-edit.ts';
import { createRecordLimits } from './write/record-limits.ts';
import { createRecordParts, joinMembers, type RecordPart } from './write/record-part.ts';
import { createRecordRemoval } from './write/record-removal.ts';
import { createRevalidation } from './write/revalidation.ts';
import { createSubmissionStore } from './write/submission-writes.ts';

export type Records = ReturnType<typeof createRecords>;

/** What held submissions have of files (intake/held). */
interface HeldFiles {
  /** Whether an entry names a file. */
  names(appId: ObjectId, entry: UUID, file: string, readConcern: ReadConcernLevel): Promise<boolean>;
  /** Marks an infected file in the values of the entry that names it. */
  markInfected(appId: ObjectId, entry: UUID, file: string): Promise<void>;
  /** The ids of the entries of a person. */
  idsOf(appIds: readonly ObjectId[], email: string): Promise<UUID[]>;
}

/** The members of records, without those of features. */
export const RECORD_MEMBERS = joinMembers([CORE_MEMBERS, KEY_MEMBERS, OUTBOX_MEMBERS, HISTORY_MEMBERS, INDEX_MEMBERS]);

/** Creates the stores of records. `writesEndMs` and `checksMs`: shorter in tests only. */
export function createRecords(deps: {
  config: Pick<Config, 'maxArrayItems' | 'recordLimit'>;
  connection: Connection;
  apps: Apps;
  schemas: Schemas;
  /** What features add to the stored record, in their order. */
  parts: readonly RecordPart[];
  /** Those of other features. */
  traces: readonly RecordTraces[];
  files: Files;
  held: HeldFiles;
  clock: Pick<DatabaseClock, 'earlier' | 'read'>;
  signal: JobSignal;
  load: OperatorLoad;
  metrics: Metrics;
  writesEndMs: number | undefined;
  checksMs: readonly number[] | undefined;
}) {
  const { files, held, clock, signal } = deps;
  const { config, connection, apps, schemas, traces, load, metrics, writesEndMs, checksMs } = deps;
  const { revision, pace } = apps;
  const { leases, renames, slotHandover } = schemas;
  const models = {
    users: createUserModel(connection, joinMembers([RECORD_MEMBERS, ...deps.parts.map(({ members }) => members)])),
    movedKeys: createMovedKeyModel(connection),
    erasures: createErasureModel(connection),
    history: createHistoryModel(connection),
    kept: createKeptModel(connection),
  };
  const users = models.users.collection;
  const erasures = models.erasures.collection;
  const erasureStore = createErasureStore(erasures);
  const newId = createRecordIds();
  const outboxSignal = createOutboxSignal();
  const guardOfErased = createErasureGuard(users, clock);
  const kept = createKeptSubmissions(users, models.kept.collection, guardOfErased);
  const history = createRecordHistory({ users, moved: models.history.collection, keep: kept.keep, guardOfErased });
  const keys = createIdempotencyKeys(users, models.movedKeys.collection, guardOfErased);
  const findPlace = createFilePlaces({
    users,
    movedNames: history.movedNames,
    keptNames: kept.names,
    heldNames: held.names,
  });
  const fileClaims = createFileClaims({ files: files.files, findPlace, renamesSince: renames.since });
  const limits = createRecordLimits(config.recordLimit);
  const ranges = createRecordRanges(users, load);
  const pages = createRecordPages({ users, ranges, load, recentRenames: renames.recent });
  // Kept submissions have the members of records that both read.
  const submissions = models.kept.collection as unknown as UserCollection;
  const keptRanges = createRecordRanges(submissions, load);
  const keptPages = createRecordPages({
    users: submissions,
    ranges: keptRanges,
    load,
    recentRenames: renames.recent,
  });
  const slots = createSlotStore(apps.model);
  const moves = createRecordMoves(
    users,
    deps.parts.flatMap(({ keyed = [] }) => keyed),
  );
  const words = createWordRecords(users, load);
  const keptWrites = createKeptWrites({ kept });
  // Their order is that of the refusals of a write.
  const parts = createRecordParts([
    createKeyPart({ users, keys, keptWrites }),
    createOutboxPart(outboxSignal.notify),
    createHistoryPart({ history, limits }),
    createRenamesPart(moves),
    createIndexPart({ catchUp: slots.catchUp, words }),
    createFilePart(fileClaims),
    ...deps.parts,
  ]);
  const { details } = parts;
  const reader = createRecordReader(users, renames.recent, details);
  const cleaner = createFileCleaner({
    files: files.files,
    chunks: files.chunks,
    stores: files.content,
    onRemoved: files.onRemoved,
    findPlace,
    clock,
    guardOfErased,
    signal,
    recordsOf: reader.idsOfPerson,
    heldOf: held.idsOf,
  });
  const others = [...traces, kept.traces, cleaner.traces];
  const allTraces: RecordTraces = {
    // The record itself tells of a history.
    exist: async (...of) => (await Promise.all(others.map(({ exist }) => exist(...of)))).includes(true),
    remove: (...of) => Promise.all([...others, history.traces].map(({ remove }) => remove(...of))),
  };
  const erase = createRecordEraser({
    users,
    erasures,
    newId,
    onEvents: outboxSignal.notify,
    removeKeysOf: keys.removeOf,
    hasConsumers: apps.consumers.hasAny,
    traces: allTraces,
    guardOfErased,
  });
  const passes = { countForDisplay: reader.countForDisplay, revision, pace, writesEndMs, checksMs };
  const slotRecords = createSlotRecords(users);
  const keptMoves = createRecordMoves(submissions);
  const wordStore = createWordStore(apps.model, revision);
  const repairs = { users, renamesSince: renames.since, moves, slotRecords, words };
  const revalidation = createRevalidation({ ...repairs, apps: apps.service, leases });
  const writes = {
    users,
    limits,
    newId,
    parts,
    moves,
    history,
    erase,
    leases,
    revalidation,
    details,
    maxArrayItems: config.maxArrayItems,
    renamesSince: renames.since,
  };
  const editor = createRecordEditor(writes);
  const findApplied = createAppliedFinder({ users, keys, keptWrites });
  return {
    users,
    erasureStore,
    newId,
    outboxSignal,
    limits,
    parts,
    details,
    emails: createEmailScan(users, apps.service.idsAfter),
    ranges,
    pages,
    erase,
    slots,
    words: wordStore,
    revalidation,
    reader,
    confirmations: createConfirmationStore(users),
    submissions: createSubmissionStore({ ...writes, findApplied, writer: createGroupCommit(users, metrics) }),
    knownPeople: createKnownPeople({ users, keys, keptWrites, newId }),
    editor,
    history,
    fileClaims,
    fileCleaner: cleaner,
    findFilePlace: findPlace,
    kept: { dropOld: kept.dropOld, ranges: keptRanges, pages: keptPages },
    bulkEditor: createBulkEditor(writes),
    importLines: createImportLines(writes),
    inventory: createInventory(users, erasures),
    /** The relay also erases what is left of records whose erasure stopped before it did. */
    relayTo: (consumers: readonly EventConsumer[]) =>
      createRelay({
        users,
        erasures,
        consumers: [...consumers, keys.consumer, history.consumer, kept.consumer, cleaner.consumer],
        guardOfErased,
      }),
    /** The records as data of their app. */
    owned: createRecordRemoval(users),
    feature: {
      models: Object.values(models),
      jobs: [
        createSlotJob({ ...passes, store: slots, records: slotRecords, schemas: schemas.store, renames }),
        createWordJob({ ...passes, store: wordStore, records: words, catchUp: slots.catchUp }),
        cleaner.job,
        createFileScans({ ...files, users, editor, markHeld: held.markInfected, markKept: kept.markInfected }),
        createRenameJob({ ...passes, store: renames, parts: [moves, keptMoves], slots: slotHandover }),
      ],
      owned: [keys, erasureStore, history, kept.owned, cleaner.owned],
      personal: [kept.personal, history.personal, createPersonRecords(users, renames.recent, erase, details)],
    } satisfies Feature,
    /** Erased before what names them: an erasure that stopped finds the rest again. */
    fileFeature: { personal: [cleaner.personal] } satisfies Feature,
  };
}
