import type { Document } from 'mongodb';
import type { RecordId, UserDocument } from './users.model.ts';

/** A write of a record while its parts add to it. */
export interface Statement {
  /** Without equalities: MongoDB copies them to the record that an upsert creates. */
  filter: Record<string, unknown>;
  update: {
    $set: Record<string, unknown>;
    $unset?: Record<string, ''>;
    $push?: Record<string, unknown>;
    $pull?: Record<string, unknown>;
    $inc?: Record<string, number>;
    $addToSet?: Record<string, unknown>;
  };
  /** Unique to the write; the id of the record if the write creates it. */
  newId: RecordId;
  /** The approximate size of the statement. */
  bytes: number;
}

/** A statement that may create the record. */
export interface UpsertStatement extends Statement {
  update: Statement['update'] & { $setOnInsert: Record<string, unknown>; $max: { updatedAt: Date } };
}

export function push({ update }: Statement, path: string, value: unknown): void {
  update.$push ??= {};
  update.$push[path] = value;
}

export function increment({ update }: Statement, path: string, by: number): void {
  update.$inc ??= {};
  update.$inc[path] = by;
}

export function unset({ update }: Statement, path: string): void {
  update.$unset ??= {};
  update.$unset[path] = '';
}

/** A write that was checked against a lease, and may have ended after it. */
export interface CheckedWrite extends Pick<UserDocument, 'appId' | 'sourceAppId' | 'email' | 'schemaVersion'> {
  /** The creation time of the record that it may have created; absent when it creates none. */
  now?: Date;
}

/** The bytes by which a part lets a record grow. */
export interface Growth {
  bytes: number;
  /** Those of them to which the limit of the record's size applies. */
  limited: number;
}

/** The record was changed so that the write may pass now: repeat it. */
export const REPAIRED = Symbol('repaired');

/** The submission was stored before: its answer is that record. */
export class StoredBefore {
  readonly record: RefusingRecord;

  constructor(record: RefusingRecord) {
    this.record = record;
  }
}

/** The members that are read of each record that refused a write. */
export type RefusingRecord = Pick<UserDocument, '_id' | 'appId' | 'createdAt' | 'updatedAt'>;

/** `Known`: the state of the record for the next attempt. */
type Explained<Known> = Known | undefined | typeof REPAIRED | StoredBefore;

/** A record that a write creates. */
export type NewRecord = UserDocument;

/** A state of the stored record that the writes of a part rely on. */
export interface Requirement<Facts = unknown> {
  /** Unique among those of all parts. */
  readonly name: string;
  /** The condition of each write: a record in another state does not match. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** What tells whether a record is in this state: an expression of an aggregation. */
  readonly facts: Document;
  isMet(facts: Facts): boolean;
  /**
   * Brings the record to this state, so that the write may pass when it is repeated.
   * @throws {AppError} when the part refuses the write
   */
  restore(facts: Facts, record: RecordTarget): Promise<void>;
  /** Whether an edit that replaces all of `data` does not need it. */
  onlyPartial?: true;
}

/**
 * The part of the write of one submission.
 * @typeParam Known the state of the stored record that the part knows or assumes
 * @typeParam Facts what it reads of a record that refused the write
 */
export interface WritePart<Known = unknown, Facts = unknown> {
  readonly name: string;
  /** The approximate size of what it adds to a statement. */
  readonly bytes: number;
  /** Absent: what it adds does not count for the size of the record. */
  readonly growth?: {
    most: number;
    /** The growth of a record; without a state, of a new one. */
    from(known?: Known): Growth;
  };
  /** Is explained and repaired before the part is asked. */
  readonly requires?: readonly Requirement[];
  /** Adds its members to a new record. */
  insert?(record: NewRecord): void;
  /**
   * Adds its conditions and changes to an upsert, besides those of `requires`.
   * @returns whether the statement would be wrong for a new record
   */
  upsert?(statement: UpsertStatement, known?: Known): boolean;
  /** What to read of the record when it refused the upsert: an expression of an aggregation. */
  facts?(): Document;
  /**
   * Returns what the next attempt relies on, and repairs the record if that is necessary.
   * @throws {AppError} when the part refuses the write
   */
  explain?(facts: Facts, record: RefusingRecord): Explained<Known> | Promise<Explained<Known>>;
  /** Whether the first attempt may rely on a remembered state. Default: it may. */
  isFresh?(known: Known, record: RecordId): boolean | Promise<boolean>;
  /** Called when the write is stored. Returns the state to remember, if it is small enough. */
  stored?(known?: Known): Known | undefined;
  /** What it changes when a value of `data` becomes a list, in the same write. */
  listed?(key: string): { filter: object; set: object } | undefined;
}

/** The most bytes by which these parts let a record grow. */
export function mostGrowth(parts: readonly WritePart[] = []): number {
  return parts.reduce((sum, { growth }) => sum + (growth ? growth.most : 0), 0);
}

/** The states that the parts of a write know or assume, by their names. */
export type KnownStates = Readonly<Record<string, unknown>>;

/** A record that a requirement restores. */
export type RecordTarget = Pick<UserDocument, '_id' | 'appId' | 'email'>;
