import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Feature } from '../apps/feature.ts';
import { joinMembers } from '../platform/database/members.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createRecordBase, type RecordFeature } from './base.ts';
import type { Files } from './files/files.ts';
import { createRecordFiles, type HeldFiles } from './parts/files.ts';
import { createHistory } from './parts/history.ts';
import { createIndexes } from './parts/indexes.ts';
import { createKeys } from './parts/keys.ts';
import { createOutbox } from './parts/outbox.ts';
import { createRenames } from './parts/renames.ts';
import { createEmailScan } from './read/email-scan.ts';
import { createInventory } from './read/inventory.ts';
import { createDetailsFinder, createPersonRecords } from './read/record-reader.ts';
import { createRelay, type EventConsumer } from './stored/outbox.ts';
import { CORE_MEMBERS, createUserModel } from './stored/record.ts';
import { createBulkEditor } from './write/bulk-edit.ts';
import { createConfirmationStore } from './write/confirmations.ts';
import { createErasureStore, createRecordEraser, type RecordTraces } from './write/erasure.ts';
import { createGroupCommit } from './write/group-commit.ts';
import { createImportLines } from './write/import-lines.ts';
import { createRecordEditor } from './write/record-edit.ts';
import { createRecordParts } from './write/record-part.ts';
import { createRecordRemoval } from './write/record-removal.ts';
import { createRevalidation } from './write/revalidation.ts';
import { createSubmissionStore } from './write/submission-writes.ts';

export type Records = ReturnType<typeof createRecords>;

/**
 * Creates the records and their features.
 *
 * @param deps.features further ones @param deps.traces those of features above records
 */
export function createRecords(
  deps: Parameters<typeof createRecordBase>[0] & {
    features: readonly RecordFeature[];
    traces: readonly RecordTraces[];
    files: Files;
    held: HeldFiles;
    consumers: Pick<AppConsumers, 'hasAny'>;
    metrics: Metrics;
  },
) {
  const { config, connection, apps, schemas, files, held, consumers, metrics } = deps;
  const { leases, renames } = schemas;
  const base = createRecordBase(deps);
  const { users, erasures, newId, limits, reader, guardOfErased } = base;
  const { history, kept, ...historyFeature } = createHistory(base);
  const keys = createKeys(base, kept);
  const outbox = createOutbox();
  const indexes = createIndexes(base);
  const keyed = deps.features.flatMap(({ part }) => part?.keyed ?? []);
  const renamesFeature = createRenames(base, historyFeature.submissions, keyed);
  const recordFiles = createRecordFiles(base, { files, history, kept, held });
  // Their order is that of the refusals of a write.
  const features: RecordFeature[] = [
    keys.feature,
    outbox.feature,
    historyFeature.feature,
    renamesFeature,
    indexes.feature,
    recordFiles.feature,
    ...deps.features,
  ];

  const declared = features.flatMap(({ part }) => part ?? []);
  const parts = createRecordParts(declared);
  const { details } = parts;
  const model = createUserModel(connection, joinMembers([CORE_MEMBERS, ...declared.map(({ members }) => members)]));
  const erasureStore = createErasureStore(erasures.collection);
  const erase = createRecordEraser({
    users,
    erasures: erasures.collection,
    newId,
    onEvents: outbox.signal.notify,
    hasConsumers: consumers.hasAny,
    traces: [...deps.traces, ...features.flatMap(({ traces = [] }) => traces)],
    guardOfErased,
  });
  const revalidation = createRevalidation({ users, parts, apps: apps.service, leases });
  const writes = {
    users,
    limits,
    newId,
    parts,
    history,
    erase,
    leases,
    revalidation,
    details,
    maxArrayItems: config.maxArrayItems,
    renamesSince: renames.since,
    findApplied: keys.findApplied,
  };
  const editor = createRecordEditor(writes);
  return {
    users,
    erasureStore,
    newId,
    outboxSignal: outbox.signal,
    limits,
    parts,
    details,
    emails: createEmailScan(users, apps.service.idsAfter),
    ranges: base.ranges,
    pages: base.pages,
    erase,
    slots: indexes.slots,
    words: indexes.words,
    revalidation,
    reader,
    findDetails: createDetailsFinder(reader, details),
    confirmations: createConfirmationStore(users),
    submissions: createSubmissionStore({ ...writes, writer: createGroupCommit(users, metrics) }),
    knownPeople: keys.knownPeople,
    editor,
    history,
    fileClaims: recordFiles.claims,
    fileCleaner: recordFiles.cleaner,
    findFilePlace: recordFiles.findPlace,
    kept: historyFeature.read,
    bulkEditor: createBulkEditor(writes),
    importLines: createImportLines(writes),
    inventory: createInventory(users, erasures.collection),
    /** The relay also erases what is left of records whose erasure stopped before it did. */
    relayTo: (consumers: readonly EventConsumer[]) =>
      createRelay({
        users,
        erasures: erasures.collection,
        consumers: [...consumers, ...features.flatMap((feature) => feature.consumers ?? [])],
        guardOfErased,
      }),
    /** The records as data of their app. */
    owned: createRecordRemoval(users),
    features: [
      ...features,
      {
        models: [model, erasures],
        jobs: [recordFiles.scans(editor)],
        owned: [erasureStore],
        personal: [createPersonRecords(users, renames.recent, erase, details)],
      },
    ] satisfies Feature[],
    /** Erased before what names them: an erasure that stopped finds the rest again. */
    fileFeature: { personal: [recordFiles.cleaner.personal] } satisfies Feature,
  };
}
