import type { ObjectId } from 'mongodb';
import type { RemovalGuard } from '../../platform/database/removal.ts';

declare module '../../core/feature.ts' {
  interface Feature {
    /** Personal data, in the order of an erasure. */
    personal?: readonly PersonData[];
  }
}

export interface PersonEntry {
  appId: ObjectId;
  /** The members of the entry, beginning with `kind`. */
  shown: Record<string, unknown>;
}

/** A file that holds data of a person. */
export interface PersonFile {
  id: string;
  /** Unique among the files of the person, with `/`. */
  path: string;
  content: AsyncIterable<Uint8Array>;
  modified: Date;
}

/** Exports and erasures use personal data by this interface only, so that imports point down. */
export interface PersonData {
  /** The name of its count in the receipt of an erasure. */
  name: string;
  /** What at most {@link APPS_AT_ONCE} apps hold of the person of this email. */
  entriesOf(appIds: readonly ObjectId[], email: string): AsyncIterable<PersonEntry>;
  /** The files that its entries name. Absent: it has none. */
  filesOf?(appIds: readonly ObjectId[], email: string): AsyncIterable<PersonFile>;
  /**
   * Erases it; resolves with the number of erased documents.
   * @param guard asked after the reads on which a statement depends, so that a late one erases
   * nothing: an operator may have restored the data, or the person may have sent new data
   * @throws {Unavailable} when the time of the request is over; a repeat goes on
   */
  eraseOf(appIds: readonly ObjectId[], email: string, guard: RemovalGuard): Promise<number>;
}

export const APPS_AT_ONCE = 500;
