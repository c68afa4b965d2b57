import type { ObjectId } from 'mongodb';
import type { RecordChange } from '../../fields/compile.ts';
import type { PendingRenames } from '../../fields/renames.ts';
import type { AddedFiles } from '../files/file-claims.ts';
import type { SizedEntry } from '../history/history-entries.ts';
import type { SlotWrite } from '../indexes/slot-records.ts';
import { outboxEntry } from '../stored/outbox.ts';
import type { AppliedKey, HistoryEntry, OutboxEntry } from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';
import type { ChangeSize } from './record-limits.ts';
import { bytesOf, type WritePart } from './record-part.ts';

const OVERHEAD = 300;

/** An accepted submission with every value that its write needs. */
export interface Submission {
  appId: ObjectId;
  sourceAppId: string;
  /** Normalized. */
  email: string;
  schemaVersion: number;
  fieldKeys: readonly string[];
  now: Date;
  change: RecordChange;
  /** Further values of a record that the write creates, with their size in bytes. */
  defaults?: { values: Readonly<Record<string, unknown>>; bytes: number } | undefined;
  size: ChangeSize;
  /** Undefined when the app has no slots. */
  slots: readonly SlotWrite[] | undefined;
  /** The words of the email and of the change. Absent when the app has no index of words. */
  words?: readonly string[] | undefined;
  /** Undefined for an app that never used a slot. */
  slotEpoch: number | undefined;
  /** The maximum growth of the record's `sizeBound`, in bytes (record-limits.ts). */
  growth: number;
  /** The maximum of `sizeBound`, in bytes. */
  maxBound: number;
  applied: AppliedKey | undefined;
  /** What features add to the write; undefined: nothing. */
  parts: readonly WritePart[] | undefined;
  /** The renames whose values are being moved. */
  renames?: PendingRenames | undefined;
  /** Whether the write stores an event for consumers of the app (outbox.ts). */
  hasConsumers: boolean;
  /** The entry that the write adds to the history of the record. */
  entry?: SizedEntry | undefined;
  /** The language of the person, if the app has several (outbox.ts). */
  lang?: string | undefined;
  /** The page that sent it, without query and fragment; only if the app keeps submissions. */
  page?: string | undefined;
  /** Whether the app replies to it by email (outbox.ts). */
  asksReply: boolean;
  /** The files that it adds to the record, if any. */
  files?: AddedFiles | undefined;
  /** It may not create a record: the app has reached its `maxRecords`. */
  requiresRecord?: boolean;
}

/** The record that a write created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/** The event has the id of a new record, which is unique to the submission. */
export function buildEvent({ now, change, lang, entry, page, asksReply }: Submission, newId: RecordId): OutboxEntry {
  const event = outboxEntry(newId, now, [
    ...Object.keys(change.set),
    ...Object.keys(change.append),
    ...(change.unset ?? []),
    ...Object.keys(change.reset ?? {}),
  ]);
  if (lang !== undefined) event.lang = lang;
  if (entry && isSubmission(entry)) event.kept = true;
  if (page !== undefined) event.page = page;
  if (asksReply) event.reply = true;
  return event;
}

/** The entry of a submission names its event; that of an imported line does not. */
export function buildEntry(sized: SizedEntry, newId: RecordId): HistoryEntry {
  return isSubmission(sized) ? { id: newId, ...sized.entry } : sized.entry;
}

const isSubmission = ({ entry }: SizedEntry): boolean => entry.by.kind === 'submission';

/** The approximate size of the write, in bytes. */
export function estimateBytes({ size, defaults, parts, entry }: Submission): number {
  const further = (defaults ? defaults.bytes : 0) + bytesOf(parts) + (entry ? entry.bytes : 0);
  return size.set + size.append + further + OVERHEAD;
}

/**
 * A hidden field was filled; an HTML form had no solved challenge, or no token of a provider; the
 * provider was away.
 */
export const HOLD_REASONS = ['honeypot', 'no-proof', 'no-captcha', 'captcha-away'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];
