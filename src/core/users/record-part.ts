import type { ZodType } from 'zod';
import type { Members } from '../../platform/database/members.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import type { Submission } from './submission.ts';
import type { CheckedWrite, WritePart } from './write-part.ts';

/**
 * What a feature adds to the stored record: members, and what each write does with them. The core
 * joins the parts of a write to one statement, in the order of the features, so a submission is
 * stored in one atomic step. A write that does not concern a part has none of it.
 */
export interface RecordPart {
  /** Names what is known of the part. */
  readonly name: string;
  readonly members: Members;
  /** Those of them that lists show, of a record that has them. */
  readonly listed?: ListedMembers;
  /** The member that holds how many bytes of a record do not count for its size. */
  readonly uncounted?: string;
  /**
   * Returns the part of the writes under a lease; undefined: none of them concerns it. Called once
   * for each lease.
   */
  under(lease: LeasedApp): LeasedPart | undefined;
  /**
   * Corrects a record after a write that its lease did not cover: a job of the part may have passed
   * the record before the write.
   * @param before the app as it was in the lease of the write @param current a later lease
   */
  correct?(write: CheckedWrite, before: Lease['app'], current: Lease): Promise<void>;
}

/** Members of the answer, with their schemas. */
type ListedMembers = Readonly<Record<string, ZodType>>;

/** What a part knows of an app when it is composed. */
export type LeasedApp = Omit<Lease, 'isCurrent' | 'isRevoked' | 'rules'>;

/** A part of the writes under a lease. */
export interface LeasedPart {
  /** The bytes of the record that `sizeBound` does not count. The limit leaves room for them. */
  reserved?: number;
  /** Begins the part of a submission; undefined: the submission does not concern it. */
  begin?: ((submission: Submission) => WritePart | undefined) | undefined;
}

export type RecordParts = ReturnType<typeof createRecordParts>;

interface Composed {
  parts: readonly LeasedPart[];
  reserved: number;
  begins: readonly NonNullable<LeasedPart['begin']>[];
}

/** Joins the parts of all features. @param declared is called when they are first needed */
export function createRecordParts(declared: () => readonly RecordPart[]) {
  const composed = new WeakMap<LeasedApp, Composed>();
  let known: readonly RecordPart[] | undefined;

  function all(): readonly RecordPart[] {
    known ??= declared();
    return known;
  }

  function compose(lease: LeasedApp): Composed {
    const earlier = composed.get(lease);
    if (earlier) return earlier;
    const parts = all().flatMap((part) => part.under(lease) ?? []);
    const joined = {
      parts,
      reserved: parts.reduce((sum, { reserved = 0 }) => sum + reserved, 0),
      begins: parts.flatMap(({ begin }) => begin ?? []),
    };
    composed.set(lease, joined);
    return joined;
  }

  return {
    all,

    /** The members that lists show of a record that has them. */
    listed: (): ListedMembers => Object.assign({}, ...all().map(({ listed }) => listed)),

    /** The size of a record in an aggregation, in bytes. */
    bytes(): object {
      const uncounted = all().flatMap((part) => part.uncounted ?? []);
      const whole: object = { $bsonSize: '$$ROOT' };
      return uncounted.reduce((size, member) => ({ $subtract: [size, { $ifNull: [`$${member}`, 0] }] }), whole);
    },

    /** The parts of writes under a lease. */
    under: (lease: LeasedApp): readonly LeasedPart[] => compose(lease).parts,

    /** Corrects a record after a write that its lease did not cover. */
    async correct(...late: Parameters<NonNullable<RecordPart['correct']>>): Promise<void> {
      for (const part of all()) await part.correct?.(...late);
    },

    /** The bytes of a record that `sizeBound` does not count. */
    reserved: (lease: LeasedApp): number => compose(lease).reserved,

    /** Begins the parts of a submission. */
    begin(submission: Submission, lease: LeasedApp): readonly WritePart[] | undefined {
      let begun: WritePart[] | undefined;
      for (const begin of compose(lease).begins) {
        const write = begin(submission);
        if (!write) continue;
        if (begun) begun.push(write);
        else begun = [write];
      }
      return begun;
    },
  };
}
