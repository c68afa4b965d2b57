import type { AppConsumers } from '../apps/app-consumers.ts';
import type { Feature } from '../apps/feature.ts';
import type { RecordBase, RecordFeature } from './base.ts';
import type { Files } from './files/files.ts';
import { createRecordFiles, type HeldFiles } from './parts/files.ts';
import { createHistory } from './parts/history.ts';
import { createIndexes } from './parts/indexes.ts';
import { createKeys } from './parts/keys.ts';
import { createOutbox } from './parts/outbox.ts';
import { createRenames } from './parts/renames.ts';
import { createEmailScan } from './read/email-scan.ts';
import { createInventory } from './read/inventory.ts';
import { createRecordDetails } from './read/record-details.ts';
import { createDetailsFinder, createPersonRecords } from './read/record-reader.ts';
import { createRelay, type EventConsumer } from './stored/outbox.ts';
import type { Users } from './users.ts';
import { createBulkEditor } from './write/bulk-edit.ts';
import { confirmationPart, createConfirmationStore } from './write/confirmations.ts';
import { createEditParts } from './write/edit-part.ts';
import { createErasureStore, createRecordEraser, type RecordTraces } from './write/erasure.ts';
import { createImportLines, importPart } from './write/import-lines.ts';
import { changePart, createRecordEditor } from './write/record-edit.ts';

type RecordFeatures = ReturnType<typeof createRecordFeatures>;

/** Creates the features of records. @param deps.features further ones */
export function createRecordFeatures(
  base: RecordBase,
  { files, held, features }: { files: Files; held: HeldFiles; features: readonly RecordFeature[] },
) {
  const { history, kept, ...historyFeature } = createHistory(base);
  const keys = createKeys(base, kept);
  const outbox = createOutbox();
  const indexes = createIndexes(base);
  const keyed = features.flatMap(({ part }) => part?.keyed ?? []);
  const renamesFeature = createRenames(base, historyFeature.submissions, keyed);
  const recordFiles = createRecordFiles(base, { files, history, kept, held });
  // Their order is that of the refusals of a write.
  const all: RecordFeature[] = [
    keys.feature,
    outbox.feature,
    historyFeature.feature,
    renamesFeature,
    indexes.feature,
    recordFiles.feature,
    ...features,
    { part: confirmationPart },
    { part: importPart },
    { part: changePart },
  ];
  return {
    keys,
    outboxSignal: outbox.signal,
    history,
    kept: historyFeature.read,
    indexes,
    files: recordFiles,
    features: all,
    parts: all.flatMap(({ part }) => part ?? []),
  };
}

export type Records = ReturnType<typeof createRecords>;

/**
 * Creates what operators and jobs do with records.
 * @param deps.traces those of features above records
 */
export function createRecords(
  base: RecordBase,
  { keys, outboxSignal, history, kept, indexes, files, features, parts }: RecordFeatures,
  core: Users,
  { traces, consumers }: { traces: readonly RecordTraces[]; consumers: Pick<AppConsumers, 'hasAny'> },
) {
  const { config, apps, schemas, users, erasures, newId, limits, reader, guardOfErased } = base;
  const { leases, renames } = schemas;
  const { revalidation } = core;
  const details = createRecordDetails(parts);
  const erasureStore = createErasureStore(erasures.collection);
  const erase = createRecordEraser({
    users,
    erasures: erasures.collection,
    newId,
    onEvents: outboxSignal.notify,
    hasConsumers: consumers.hasAny,
    traces: [...traces, ...features.flatMap((feature) => feature.traces ?? [])],
    guardOfErased,
  });
  const writes = {
    users,
    limits,
    newId,
    parts: core.parts,
    edits: createEditParts(core.parts),
    history,
    erase,
    leases,
    revalidation,
    details,
    maxArrayItems: config.maxArrayItems,
    renamesSince: renames.since,
  };
  const editor = createRecordEditor(writes);
  return {
    users,
    erasureStore,
    newId,
    outboxSignal,
    limits,
    parts: core.parts,
    details,
    emails: createEmailScan(users, apps.service.idsAfter),
    ranges: base.ranges,
    list: base.list,
    pages: base.pages,
    erase,
    slots: indexes.slots,
    words: indexes.words,
    revalidation,
    reader,
    findDetails: createDetailsFinder(reader, details),
    confirmations: createConfirmationStore(users),
    submissions: core.submissions,
    findApplied: keys.findApplied,
    knownPeople: keys.knownPeople,
    editor,
    history,
    fileClaims: files.claims,
    fileCleaner: files.cleaner,
    findFilePlace: files.findPlace,
    kept,
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
    features: [
      ...features,
      {
        models: [erasures],
        jobs: [files.scans(editor)],
        owned: [erasureStore],
        personal: [createPersonRecords(users, renames.recent, erase, details)],
      },
    ] satisfies Feature[],
    /** Erased before what names them: an erasure that stopped finds the rest again. */
    fileFeature: { personal: [files.cleaner.personal] } satisfies Feature,
  };
}
