import type { Document } from 'mongodb';
import { beginsBefore } from '../../platform/database/clock.ts';
import type { Members } from '../../platform/database/members.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { createRecordDetails, type ShownPart } from '../stored/record-json.ts';
import type { Submission } from './submission.ts';
import type {
  AppliedEdit,
  CheckedWrite,
  EditPart,
  EditTarget,
  Requirement,
  Statement,
  WritePart,
} from './write-part.ts';

/**
 * What a feature adds to the stored record: members, and what each write does with them. The core
 * joins the parts of a write to one statement, in the order of the features, so a submission is
 * stored in one atomic step. A write that does not concern a part has none of it.
 */
export interface RecordPart {
  /** Names what is known of the part. */
  readonly name: string;
  readonly members: Members;
  /** Those of them that have the keys of fields: a rename of a field renames these too. */
  readonly keyed?: readonly string[];
  readonly shown?: ShownPart;
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

/** What a part knows of an app when it is composed. */
type LeasedApp = Pick<Lease, 'app' | 'schema' | 'renames'>;

/** A part of the writes under a lease. */
interface LeasedPart {
  /** The bytes of the record that `sizeBound` does not count. The limit leaves room for them. */
  reserved?: number;
  /** Begins the part of a submission; undefined: the submission does not concern it. */
  begin?: ((submission: Submission) => WritePart | undefined) | undefined;
  /** Its part of edits by operators. */
  edits?: EditPart;
}

export type RecordParts = ReturnType<typeof createRecordParts>;

/** A record with what the parts of edits read of it, by their names. */
interface EditedParts extends EditTarget {
  parts?: Readonly<Record<string, unknown>>;
}

type EditClaim = Parameters<NonNullable<EditPart['claim']>>;

interface Composed {
  reserved: number;
  begins: readonly NonNullable<LeasedPart['begin']>[];
  edits: readonly EditPart[];
  requirements: readonly Requirement[];
  editFacts: Document;
}

/** Joins the parts of all features. */
export function createRecordParts(parts: readonly RecordPart[]) {
  const composed = new WeakMap<LeasedApp, Composed>();

  function under(lease: LeasedApp): Composed {
    const known = composed.get(lease);
    if (known) return known;
    const leased = parts.flatMap((part) => part.under(lease) ?? []);
    const edits = leased.flatMap((part) => part.edits ?? []);
    const requirements = edits.flatMap(({ requires = [] }) => requires);
    const facts = [...requirements, ...edits].flatMap(({ name, facts: read }) => (read ? [[name, read]] : []));
    const all = {
      reserved: leased.reduce((sum, { reserved = 0 }) => sum + reserved, 0),
      begins: leased.flatMap(({ begin }) => begin ?? []),
      edits,
      requirements,
      editFacts: facts.length > 0 ? { parts: Object.fromEntries(facts) } : {},
    };
    composed.set(lease, all);
    return all;
  }

  const unmet = ({ parts: facts }: EditedParts, lease: LeasedApp, isWhole: boolean): Requirement | undefined =>
    under(lease).requirements.find(
      ({ name, isMet, onlyPartial }) => !(isWhole && onlyPartial) && !isMet(facts?.[name]),
    );

  return {
    details: createRecordDetails(parts.flatMap(({ shown = [] }) => shown)),

    /** Corrects a record after a write that its lease did not cover. */
    async correct(...late: Parameters<NonNullable<RecordPart['correct']>>): Promise<void> {
      for (const part of parts) await part.correct?.(...late);
    },

    /** The bytes of a record that `sizeBound` does not count. */
    reserved: (lease: LeasedApp): number => under(lease).reserved,

    /** Begins the parts of a submission. */
    begin(submission: Submission, lease: LeasedApp): readonly WritePart[] | undefined {
      let begun: WritePart[] | undefined;
      for (const begin of under(lease).begins) {
        const write = begin(submission);
        if (!write) continue;
        if (begun) begun.push(write);
        else begun = [write];
      }
      return begun;
    },

    /** What edits read of a record, as members of a projection. */
    editFacts: (lease: LeasedApp): Document => under(lease).editFacts,

    /** Whether an edit can be built from what was read of a record. */
    isReady: (record: EditedParts, lease: LeasedApp, isWhole: boolean): boolean =>
      unmet(record, lease, isWhole) === undefined,

    /** Changes a record that is not ready: read it again. @throws {AppError} when a part refuses */
    async repair(record: EditedParts, lease: LeasedApp, isWhole: boolean): Promise<void> {
      const requirement = unmet(record, lease, isWhole);
      await requirement?.restore(record.parts?.[requirement.name], record);
    },

    /** Claims what an edit names. Resolves with a condition on the time of its statement. */
    async claimEdit(lease: LeasedApp, ...edit: EditClaim): Promise<object> {
      const claimed = under(lease).edits.map((part) => part.claim?.(...edit));
      const times = (await Promise.all(claimed)).filter((until) => until !== undefined);
      return times.length > 0 ? beginsBefore(new Date(Math.min(...times.map(Number)))) : {};
    },

    /** Adds the parts of an edit to its statement. Returns what is called when that is stored. */
    addEdit(statement: Statement, edit: AppliedEdit, { parts: facts }: EditedParts, lease: LeasedApp) {
      for (const { filter, onlyPartial } of under(lease).requirements) {
        if (!(edit.isWhole && onlyPartial)) Object.assign(statement.filter, filter);
      }
      const stored = under(lease).edits.flatMap((part) => part.add?.(statement, edit, facts?.[part.name]) ?? []);
      return (record: EditTarget): void => {
        for (const note of stored) note(record);
      };
    },
  };
}
