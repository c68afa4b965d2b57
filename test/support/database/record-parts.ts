import { consentPart } from '../../../src/features/consents/consents.ts';
import { createHistoryPart } from '../../../src/records/parts/history.ts';
import { createIndexPart } from '../../../src/records/parts/indexes.ts';
import { createKeyPart } from '../../../src/records/parts/keys.ts';
import { createOutboxPart } from '../../../src/records/parts/outbox.ts';
import type { RecordLimits } from '../../../src/records/write/record-limits.ts';

const unused = {} as never;

/** The parts of records, for tests that build writes without repairing a record. */
export const createUnconnectedParts = (limits: RecordLimits) => [
  createKeyPart({ users: unused, keys: unused, keptWrites: unused }),
  createOutboxPart(() => undefined),
  createHistoryPart({ history: unused, limits }),
  createIndexPart({ catchUp: unused, words: unused, slotRecords: unused, leases: unused }),
  consentPart,
];
