import type { ObjectId } from 'mongodb';
import type { RecordChange } from '../fields/compile.ts';
import type { PendingRenames } from '../fields/renames.ts';
import type { SentConsents } from './consents.ts';
import { outboxEntry } from './outbox.ts';
import type { AppliedKey, OutboxEntry } from './record.ts';
import type { RecordId } from './record-id.ts';
import type { ChangeSize } from './record-limits.ts';
import type { SlotWrite } from './slot-records.ts';

/** The approximate size of a write without the values of its change, in bytes. */
const OVERHEAD = 300;

/** An accepted submission: valid against the schema, with every value that its write needs. */
export interface Submission {
  appId: ObjectId;
  sourceAppId: string;
  /** Normalized. */
  email: string;
  /** The version that it was checked against. */
  schemaVersion: number;
  /** The keys of the schema's fields. */
  fieldKeys: readonly string[];
  now: Date;
  change: RecordChange;
  size: ChangeSize;
  /** What it writes to the index slots of the app; undefined when the app has none. */
  slots: readonly SlotWrite[] | undefined;
  /** The epoch of these slots; undefined for an app that never used one. */
  slotEpoch: number | undefined;
  /** The most that the change raises the record's `sizeBound`, in bytes (record-limits.ts). */
  growth: number;
  /** The maximum of `sizeBound`, in bytes. */
  maxBound: number;
  /** The idempotency key, if the client sent one. */
  applied: AppliedKey | undefined;
  /** The consent fields that were sent, if the schema has any. */
  consents: SentConsents | undefined;
  /** The renames whose values are being moved, if any. */
  renames?: PendingRenames | undefined;
  /** Whether the write stores an event for consumers of the app (outbox.ts). */
  hasConsumers: boolean;
  /** It may change a record but not create one: an app with `maxRecords` has no seat for it. */
  requiresRecord?: boolean;
}

/** The result of a write: the record that it created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/** The id that a new record would get identifies the event too: it is unique to the submission. */
export function buildEvent({ now, change }: Submission, newId: RecordId): OutboxEntry {
  return outboxEntry(newId, now, [...Object.keys(change.set), ...Object.keys(change.append)]);
}

/** The most that the change and its appended consents raise `sizeBound`, in bytes. */
export function growthWith({ growth, consents }: Submission, appended: readonly unknown[] = []): number {
  return consents && appended.length > 0 ? growth + consents.bytes : growth;
}

/** The approximate size of the write that stores it, in bytes. */
export function estimateBytes({ size, consents }: Submission): number {
  return size.set + size.append + (consents ? consents.bytes : 0) + OVERHEAD;
}

/**
 * Why a submission is held: a field that people do not see was filled, or an HTML form came without
 * a solved challenge.
 */
export const HOLD_REASONS = ['honeypot', 'no-proof'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];
