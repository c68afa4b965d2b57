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

export type Phase = 'expand' | 'contract';

interface MigrationPart {
  /**
   * Changes at most `limit` documents, in less than the time limit of a statement. It may be
   * repeated, and its statements may arrive late: each write depends on what it changes, and where
   * possible on `fence`.
   */
  step(context: MigrationStep): Promise<StepResult>;
  /** Resolves with how many documents are to be changed, counting no further than `limit`. */
  pending(limit: number): Promise<number>;
}

interface MigrationStep {
  /** Where the last step ended; undefined at the beginning. */
  position: unknown;
  limit: number;
  fence: Fence;
}

/** For filters: matches only while the migrator holds the lock, by MongoDB's clock. */
export interface Fence {
  $expr: object;
}

interface StepResult {
  changed: number;
  /** Stored for the next step; undefined: nothing is left. */
  position?: unknown;
}
