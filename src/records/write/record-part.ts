import type { Document } from 'mongodb';
import type { Lease } from '../../schemas/schema-leases.ts';
import type { RecordFilter, UserDocument } from '../stored/record.ts';
import { createRecordDetails, type ShownPart } from '../stored/record-json.ts';

/** A valid submission before its write. */
export interface ValidSubmission {
  data: Readonly<Record<string, unknown>>;
  now: Date;
  /** The URL of the page that sent it, if known. */
  page?: string | undefined;
  lang?: string | undefined;
}

/** An upsert of a record while its parts add to it. */
export interface Statement {
  /** Without equalities: MongoDB copies them to the record that an upsert creates. */
  filter: RecordFilter & Record<string, unknown>;
  update: {
    $set: Record<string, unknown>;
    $setOnInsert: Record<string, unknown>;
    $max: { updatedAt: Date };
    $unset?: Record<string, ''>;
    $push?: Record<string, unknown>;
    $inc?: Record<string, number>;
    $addToSet?: Record<string, unknown>;
  };
}

export function push({ update }: Statement, path: string, value: unknown): void {
  update.$push ??= {};
  update.$push[path] = value;
}

export function increment({ update }: Statement, path: string, by: number): void {
  update.$inc ??= {};
  update.$inc[path] = by;
}

/** The bytes by which a part lets a record grow. */
export interface Growth {
  bytes: number;
  /** Those of them to which the limit of the record's size applies. */
  limited: number;
}

/**
 * What a feature adds to the stored record: members, and what each write does with them. The core
 * joins the parts of a write to one statement, in the order of the features, so a submission is
 * stored in one atomic step. A write that does not concern a part has none of it.
 */
export interface RecordPart {
  /** Names what is known of the part. */
  readonly name: string;
  /** Declares its members of the stored record, as paths of a Mongoose schema. */
  readonly members: Readonly<Record<string, object>>;
  readonly shown?: ShownPart;
  /**
   * Returns what begins the part of each submission under a lease; undefined: no submission to this
   * schema concerns it. Called once for each lease.
   */
  under(lease: Pick<Lease, 'app' | 'schema'>): BeginPart | undefined;
}

/** Returns undefined when the submission does not concern the part. */
export type BeginPart = (sent: ValidSubmission) => WritePart | undefined;

/**
 * The part of one write.
 * @typeParam Known the state of the stored record that the part knows or assumes
 * @typeParam Facts what it reads of a record that refused the write
 */
export interface WritePart<Known = unknown, Facts = unknown> {
  readonly name: string;
  /** The most bytes by which it lets a record grow. */
  readonly bytes: number;
  /** The growth of a record; without a state, of a new one. */
  growth(known?: Known): Growth;
  /** Adds its members to a new record. */
  insert(record: UserDocument): void;
  /**
   * Adds its conditions and changes to an upsert.
   * @returns whether the statement would be wrong for a new record
   */
  upsert(statement: Statement, known?: Known): boolean;
  /** What to read of the record when it refused the upsert: members of a projection. */
  facts(): Document;
  /**
   * Returns the state of the record for the next attempt.
   * @throws {AppError} when the part refuses the write
   */
  explain(facts: Facts): Known | undefined;
  /** The state after the write, if it is small enough to be remembered. */
  after(): Known | undefined;
}

/** The most bytes by which these parts let a record grow. */
export function bytesOf(parts: readonly WritePart[] = []): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

export type RecordParts = ReturnType<typeof createRecordParts>;

/** Joins the parts of all features. @throws {Error} when two of them claim one member */
export function createRecordParts(parts: readonly RecordPart[] = []) {
  const members: Record<string, object> = {};
  for (const part of parts) {
    for (const [member, declaration] of Object.entries(part.members)) {
      if (Object.hasOwn(members, member)) throw new Error(`two parts of a record have the member ${member}`);
      members[member] = declaration;
    }
  }
  const composed = new WeakMap<Lease, readonly BeginPart[]>();

  function under(lease: Lease): readonly BeginPart[] {
    const known = composed.get(lease) ?? parts.flatMap((part) => part.under(lease) ?? []);
    composed.set(lease, known);
    return known;
  }

  return {
    members,
    details: createRecordDetails(parts.flatMap(({ shown = [] }) => shown)),

    /** Begins the parts of a submission. */
    begin(sent: ValidSubmission, lease: Lease): readonly WritePart[] | undefined {
      const begun = under(lease).flatMap((begin) => begin(sent) ?? []);
      return begun.length > 0 ? begun : undefined;
    },
  };
}
