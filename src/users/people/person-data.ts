import type { Types } from 'mongoose';

/** Something that is held of a person, with the app that holds it, as an export shows it. */
export interface PersonEntry {
  appId: Types.ObjectId;
  /** The members of the entry in the export, beginning with `kind`. */
  shown: Record<string, unknown>;
}

/**
 * Data of persons that a feature keeps. Exports and erasures of a person know the features only
 * through this interface, so that imports point down (docs/architecture.md).
 */
export interface PersonData {
  /** The name of its count in the receipt of an erasure. */
  name: string;
  /** What these apps, at most {@link APPS_AT_ONCE}, hold of the person of this email. */
  entriesOf(appIds: readonly Types.ObjectId[], email: string): AsyncIterable<PersonEntry>;
  /** Erases it permanently; resolves with the number of erased documents. */
  eraseOf(appIds: readonly Types.ObjectId[], email: string): Promise<number>;
}

/** The apps that one query names. */
export const APPS_AT_ONCE = 500;
