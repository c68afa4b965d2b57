import type { ObjectId } from 'mongodb';
import type { Connection } from '../database/client.ts';
import {
  type Collection,
  createModel,
  declareCollection,
  type Model,
  onPrimaryShard,
} from '../database/collections.ts';

/**
 * A numbered change of stored data, declared by the feature that owns the data. Numbers begin with
 * 1, are never reused, and are the order in which migrations run.
 *
 * A release runs beside the one before it. So `expand` makes only changes with which servers of the
 * earlier release go on to work, and this release reads what these still write. `contract` removes
 * what only earlier releases use. It is declared one release after the last one that uses it.
 */
export interface Migration {
  number: number;
  /** For operators and logs, such as `sizes of import chunks`. */
  name: string;
  expand?: MigrationPart;
  contract?: MigrationPart;
}

export interface MigrationPart {
  /**
   * Changes at most `limit` documents, in less than the time limit of a statement. It may be
   * repeated, and its statements may arrive late: each write depends on what it changes, and where
   * possible on `fence`.
   */
  step(context: MigrationStep): Promise<StepResult>;
  /** Resolves with how many documents are to be changed, counting no further than `limit`. */
  pending(limit: number): Promise<number>;
}

export interface MigrationStep {
  /** Where the last step ended; undefined at the beginning. */
  position: unknown;
  limit: number;
  /** For filters: matches only while the migrator holds the lock, by MongoDB's clock. */
  fence: { $expr: object };
}

export interface StepResult {
  changed: number;
  /** Stored for the next step; undefined: nothing is left. */
  position?: unknown;
}

/** `checking`: a contraction that has not begun, while it searches for servers that prevent it. */
export type MigrationState = 'waiting' | 'expanding' | 'expanded' | 'checking' | 'contracting' | 'contracted';

/** The progress of one migration. `_id` is its number. */
export interface MigrationDocument {
  _id: number;
  name: string;
  state: MigrationState;
  /** The turn of a migrator that may write the document: each one replaces it. */
  turn?: ObjectId;
  position?: unknown;
  /** The documents that its present or last part has changed. */
  changed: number;
  /** How often each part was completed: once. */
  expansions: number;
  contractions: number;
  /** By MongoDB's clock. */
  expandedAt?: Date;
  contractedAt?: Date;
}

const MIGRATIONS = declareCollection('migrations', onPrimaryShard('one document for each migration'));

export type MigrationCollection = Collection<MigrationDocument>;

/** The model of `migrations`. */
export const createMigrationModel = (connection: Connection): Model<MigrationDocument> =>
  createModel(connection, MIGRATIONS);

/**
 * Returns the migrations of all features in their order. @throws when a number is missing or twice
 */
export function inOrder(migrations: readonly Migration[]): Migration[] {
  const ordered = [...migrations].sort((one, other) => one.number - other.number);
  const wrong = ordered.findIndex(({ number }, index) => number !== index + 1);
  if (wrong !== -1) throw new Error(`the migrations have no number ${wrong + 1}, or another one twice`);
  return ordered;
}
