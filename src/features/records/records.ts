import type { Feature } from '../../core/feature.ts';
import { NEWEST_FIRST } from '../../core/users/users.model.ts';
import type { Users } from '../../core/users/users.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import { createRecordFiles } from '../files/file-part.ts';
import type { Files } from '../files/files.ts';
import type { HeldFiles } from '../held/held.model.ts';
import { createHistory } from '../history/history-part.ts';
import { createKeys } from '../idempotency/key-part.ts';
import { createIndexes } from '../indexes/index-part.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import { createRelay, type EventConsumer } from '../outbox/outbox.ts';
import { createOutbox } from '../outbox/outbox-part.ts';
import { numbersByApp } from '../overview/overview-part.ts';
import { createEmailScan } from '../record-reads/email-scan.ts';
import { createInventory } from '../record-reads/inventory.ts';
import { createRecordDetails } from '../record-reads/record-details.ts';
import { createDetailsFinder, createPersonRecords } from '../record-reads/record-reader.ts';
import type { RecordBase, RecordFeature } from './base.ts';
import { createBulkEditor } from './bulk-edit.ts';
import { createBulkWriter } from './bulk-write.ts';
import { confirmationPart, createConfirmationStore } from './confirmations.ts';
import { createEditParts } from './edit-part.ts';
import { createEmailChanger } from './email-change.ts';
import { createErasureStore, createRecordEraser, type RecordTraces } from './erasure.ts';
import { createImportLines } from './import-lines.ts';
import { importPart } from './import-marks.ts';
import { createImportUndo } from './import-undo.ts';
import { changePart, createRecordEditor } from './record-edit.ts';
import { createRenames } from './renames.ts';

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
  const { config, schemas, renames, users, erasures, newId, limits, reader, guardOfErased } = base;
  const { leases } = schemas;
  const { revalidation } = core;
  const details = createRecordDetails(parts);
  const erasureStore = createErasureStore(erasures.collection);
  const allTraces = [...traces, ...features.flatMap((feature) => feature.traces ?? [])];
  const erase = createRecordEraser({
    users,
    erasures: erasures.collection,
    newId,
    onEvents: outboxSignal.notify,
    hasConsumers: consumers.hasAny,
    traces: allTraces,
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
  const { clock, signal, emailChanges } = base;
  const { formerEmails } = keys;
  const emails = { users, changes: emailChanges, editor, formerEmails, traces: allTraces, clock, signal };
  const emailChanger = createEmailChanger(emails);
  const writer = createBulkWriter(writes);
  const personal = createPersonRecords(users, renames.recent, erase, details);
  return {
    users,
    erasureStore,
    newId,
    outboxSignal,
    limits,
    parts: core.parts,
    details,
    emails: createEmailScan(users, base.appReads.idsAfter),
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
    formerEmails: keys.formerEmails,
    knownPeople: keys.knownPeople,
    editor,
    changeEmail: emailChanger.change,
    history,
    fileClaims: files.claims,
    fileCleaner: files.cleaner,
    findFilePlace: files.findPlace,
    kept,
    bulkEditor: createBulkEditor({ ...writes, writer }),
    importLines: createImportLines(writes),
    importUndo: createImportUndo({ ...writes, writer }),
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
        models: [erasures, emailChanges],
        jobs: [files.scans(editor), emailChanger.job],
        owned: [erasureStore, ownedBy(emailChanges.collection, 'at')],
        personal: [personal],
        overview: { users: (read) => numbersByApp(users, read, { hint: NEWEST_FIRST }) },
      },
    ] satisfies Feature[],
    /** Erased before what names them: an erasure that stopped finds the rest again. */
    fileFeature: { personal: [files.cleaner.personal] } satisfies Feature,
    /** What a person gave: the record, its kept submissions and its files. */
    personal: { records: personal, submissions: kept.personal, files: files.cleaner.personal },
  };
}
