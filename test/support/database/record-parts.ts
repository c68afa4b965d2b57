import { consentPart } from '../../../src/features/consents/consents.ts';
import { createHistoryPart } from '../../../src/features/history/history-part.ts';
import { createKeyPart } from '../../../src/features/idempotency/key-part.ts';
import { createIndexPart } from '../../../src/features/indexes/index-part.ts';
import { createOutboxPart } from '../../../src/features/outbox/outbox-part.ts';
import { confirmationPart } from '../../../src/features/records/confirmations.ts';
import { importPart } from '../../../src/features/records/import-marks.ts';
import { changePart } from '../../../src/features/records/record-edit.ts';

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
