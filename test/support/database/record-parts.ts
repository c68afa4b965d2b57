import { consentPart } from '../../../src/features/consents/consents.ts';
import { createHistoryPart } from '../../../src/records/parts/history.ts';
import { createIndexPart } from '../../../src/records/parts/indexes.ts';
import { createKeyPart } from '../../../src/records/parts/keys.ts';
import { createOutboxPart } from '../../../src/records/parts/outbox.ts';
import { confirmationPart } from '../../../src/records/write/confirmations.ts';
import { importPart } from '../../../src/records/write/import-lines.ts';
import { changePart } from '../../../src/records/write/record-edit.ts';

const unused = {} as never;

/** The parts of records, for tests that build writes without repairing a record. */
export const createUnconnectedParts = () => [
  createKeyPart({ users: unused, keys: unused, keptWrites: unused }),
  createOutboxPart(() => undefined),
  createHistoryPart({ moveOut: async () => undefined, noteUse: () => undefined, maxEntry: 1_000_000 }),
  createIndexPart({ catchUp: unused, words: unused, slotRecords: unused, leases: unused }),
  consentPart,
  confirmationPart,
  importPart,
  changePart,
];
