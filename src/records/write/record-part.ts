import type { Lease } from '../../schemas/schema-leases.ts';
import { createRecordDetails, type ShownPart } from '../stored/record-json.ts';
import type { Submission } from './submission.ts';
import type { WritePart } from './write-part.ts';

/**
 * What a feature adds to the stored record: members, and what each write does with them. The core
 * joins the parts of a write to one statement, in the order of the features, so a submission is
 * stored in one atomic step. A write that does not concern a part has none of it.
 */
export interface RecordPart {
  /** Names what is known of the part. */
  readonly name: string;
  readonly members: RecordMembers;
  readonly shown?: ShownPart;
  /**
   * Returns the part of the submissions under a lease; undefined: none of them concerns it. Called
   * once for each lease.
   */
  under(lease: LeasedApp): LeasedPart | undefined;
}

/** What a part knows of an app when it is composed. */
type LeasedApp = Pick<Lease, 'app' | 'schema' | 'renames'>;

/** A part of the submissions under a lease. */
interface LeasedPart {
  /** The bytes of the record that `sizeBound` does not count. The limit leaves room for them. */
  reserved?: number;
  /** Begins the part of a submission; undefined: the submission does not concern it. */
  begin(submission: Submission): WritePart | undefined;
}

export type RecordParts = ReturnType<typeof createRecordParts>;

/** Members of the stored record, as paths of a Mongoose schema. */
export type RecordMembers = Readonly<Record<string, object>>;

/** Joins the members of parts. @throws {Error} when two of them claim one */
export function joinMembers(declared: readonly RecordMembers[]): RecordMembers {
  const members: Record<string, object> = {};
  for (const [member, declaration] of declared.flatMap((one) => Object.entries(one))) {
    if (Object.hasOwn(members, member)) throw new Error(`two parts of a record have the member ${member}`);
    members[member] = declaration;
  }
  return members;
}

/** Joins the parts of all features. */
export function createRecordParts(parts: readonly RecordPart[]) {
  const composed = new WeakMap<LeasedApp, { leased: readonly LeasedPart[]; reserved: number }>();

  function under(lease: LeasedApp) {
    const known = composed.get(lease);
    if (known) return known;
    const leased = parts.flatMap((part) => part.under(lease) ?? []);
    const all = { leased, reserved: leased.reduce((sum, { reserved = 0 }) => sum + reserved, 0) };
    composed.set(lease, all);
    return all;
  }

  return {
    details: createRecordDetails(parts.flatMap(({ shown = [] }) => shown)),

    /** The bytes of a record that `sizeBound` does not count. */
    reserved: (lease: LeasedApp): number => under(lease).reserved,

    /** Begins the parts of a submission. */
    begin(submission: Submission, lease: LeasedApp): readonly WritePart[] | undefined {
      let begun: WritePart[] | undefined;
      for (const part of under(lease).leased) {
        const write = part.begin(submission);
        if (!write) continue;
        if (begun) begun.push(write);
        else begun = [write];
      }
      return begun;
    },
  };
}
