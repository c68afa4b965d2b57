import type { Collection } from 'mongodb';
import type { Migration } from '../../../src/platform/migrations/migration.ts';

export interface Note {
  _id: number;
  text: string;
  /** Until migration 1 is contracted. */
  length?: number;
  /** From migration 1 on. */
  size?: number;
  /** From migration 2 on. */
  kind?: string;
}

export declare function noteMigrations(notes: Collection<Note>): Migration[];
