import type { Document, ObjectId, UUID } from 'mongodb';
import type { Guard } from '../../platform/database/guarded-insert.ts';
import type { RecordChange } from '../fields/compile.ts';
import type { ChangeSize } from './record-limits.ts';
import type { RecordId } from './users.model.ts';
import type { WritePart } from './write-part.ts';

const OVERHEAD = 300;

/** How a submission was sent. Features add what they know of it. */
export interface SubmissionFacts {
  /** The language of the person, if the app has several. */
  lang?: string | undefined;
  /** The URL of the page that sent it, as sent. */
  page?: string | undefined;
}

/** An accepted submission, or line of an import, with every value that its write needs. */
export interface Submission {
  appId: ObjectId;
  sourceAppId: string;
  /** Normalized. */
  email: string;
  schemaVersion: number;
  fieldKeys: readonly string[];
  now: Date;
  /** An operator sends the lines of an import. */
  by: 'person' | 'import';
  change: RecordChange;
  /** Further values of a record that the write creates, with their size in bytes. */
  defaults: { values: Readonly<Record<string, unknown>>; bytes: number } | undefined;
  size: ChangeSize;
  /** The maximum growth of the record's `sizeBound` by the change, in bytes (record-limits.ts). */
  growth: number;
  /** The maximum of `sizeBound`, in bytes. */
  maxBound: number;
  facts: SubmissionFacts;
  /** What features add to the write; undefined: nothing. */
  parts: readonly WritePart[] | undefined;
  /** The claim of what it names, if it has to claim anything. */
  claim: Claim | undefined;
  /** It may not create a record: the app has reached its `maxRecords`. */
  requiresRecord?: boolean;
}

/**
 * The claim of what a submission names, such as files, for the document that will name it. The
 * write of that document begins before the time that a claim resolves with, or not at all; it may
 * be claimed again. Each claim rejects with an `AppError` when others have it.
 */
export interface Claim {
  /** For a write of this record. */
  forRecord(record: RecordId): Promise<Date>;
  /** For a new record: with the id that it gets, and the guard of its insert. */
  forNewRecord(record: RecordId): Promise<{ record: RecordId; guard: Guard<Document> }>;
  /** For the insert of a held submission, which may change a record. Undefined: without a guard. */
  forHeld(held: UUID, record: RecordId | undefined): Promise<Guard<Document> | undefined>;
  /** Gives it back after a refusal: no write follows. */
  giveBack(): Promise<void>;
}

/** The record that a write created or changed. */
export interface Written {
  id: RecordId;
  createdAt: Date;
}

/** The approximate size of the write, in bytes. */
export function estimateBytes({ size, defaults, parts = [] }: Submission): number {
  const own = size.set + size.append + (defaults ? defaults.bytes : 0) + OVERHEAD;
  return parts.reduce((sum, { bytes }) => sum + bytes, own);
}
