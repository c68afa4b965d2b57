import type { Document } from 'mongodb';
import type { LeasedApp, RecordParts } from '../../core/users/record-part.ts';
import type { SubmissionFacts } from '../../core/users/submission.ts';
import type { UserDocument } from '../../core/users/users.model.ts';
import type { Growth, RecordTarget, Requirement, Statement } from '../../core/users/write-part.ts';
import { beginsBefore } from '../../platform/database/clock.ts';
import type { HistoryAuthor, HistoryChange } from '../history/history-entries.ts';

type Values = Readonly<Record<string, unknown>>;

/** A change of a stored record by an operator or by its person, as it was read. */
interface AppliedEdit {
  /** After the edit. */
  email: string;
  /** Whether the edit changes the email. */
  isReaddressed: boolean;
  at: Date;
  by: HistoryAuthor;
  /** What is known of how the person itself sent it. Absent: an operator did. */
  sent?: SubmissionFacts | undefined;
  schemaVersion: number;
  /** The values that replace others. */
  set: Values;
  unset: readonly string[];
  /** The keys of `set`, of `unset`, and of lists from which items are removed. */
  keys: readonly string[];
  /** `data` after the edit. */
  after: Record<string, unknown>;
  /** Whether `after` has all of `data`, or only the values that the edit names. */
  isWhole: boolean;
  /** The values that are others than before. */
  changes: readonly HistoryChange[];
}

/** A part of the edits under a lease. Each is the write of one record as it was read. */
export interface EditPart<Facts = unknown> {
  readonly name: string;
  readonly requires?: readonly Requirement[];
  /** What else it reads of a record before an edit: an expression of a projection. */
  readonly facts?: Document;
  /**
   * Claims what an edit names. Resolves with the time of MongoDB's clock before which the edit
   * begins; undefined: there is nothing to claim.
   * @param values what the edit sets @throws {AppError} when it cannot name one of them
   */
  claim?(record: RecordTarget & Pick<UserDocument, 'data'>, values: Values): Promise<Date | undefined>;
  /** Returns by how much it lets the record grow besides `data`. Absent: not at all. */
  growth?(edit: AppliedEdit, facts: Facts): Growth;
  /** Adds its conditions and changes to an edit. Returns what is called when that is stored. */
  add?(statement: Statement, edit: AppliedEdit, facts: Facts): ((record: RecordTarget) => void) | undefined;
}

declare module '../../core/users/record-part.ts' {
  interface LeasedPart {
    edits?: EditPart;
  }
}

/** A record with what the parts of edits read of it, by their names. */
interface EditedParts extends RecordTarget {
  parts?: Readonly<Record<string, unknown>>;
}

type EditClaim = Parameters<NonNullable<EditPart['claim']>>;

interface ComposedEdits {
  edits: readonly EditPart[];
  requirements: readonly Requirement[];
  facts: Document;
}

export type EditParts = ReturnType<typeof createEditParts>;

/** Joins the parts of edits of all features. */
export function createEditParts(parts: Pick<RecordParts, 'under'>) {
  const composed = new WeakMap<LeasedApp, ComposedEdits>();

  function under(lease: LeasedApp): ComposedEdits {
    const known = composed.get(lease);
    if (known) return known;
    const edits = parts.under(lease).flatMap((part) => part.edits ?? []);
    const requirements = edits.flatMap(({ requires = [] }) => requires);
    const read = [...requirements, ...edits].flatMap(({ name, facts }) => (facts ? [[name, facts]] : []));
    const all = { edits, requirements, facts: read.length > 0 ? { parts: Object.fromEntries(read) } : {} };
    composed.set(lease, all);
    return all;
  }

  const unmet = ({ parts: facts }: EditedParts, lease: LeasedApp, isWhole: boolean): Requirement | undefined =>
    under(lease).requirements.find(
      ({ name, isMet, onlyPartial }) => !(isWhole && onlyPartial) && !isMet(facts?.[name]),
    );

  return {
    /** What edits read of a record, as members of a projection. */
    facts: (lease: LeasedApp): Document => under(lease).facts,

    /** Whether an edit can be built from what was read of a record. */
    isReady: (record: EditedParts, lease: LeasedApp, isWhole: boolean): boolean =>
      unmet(record, lease, isWhole) === undefined,

    /** Changes a record that is not ready: read it again. @throws {AppError} when a part refuses */
    async repair(record: EditedParts, lease: LeasedApp, isWhole: boolean): Promise<void> {
      const requirement = unmet(record, lease, isWhole);
      await requirement?.restore(record.parts?.[requirement.name], record);
    },

    /** Claims what an edit names. Resolves with a condition on the time of its statement. */
    async claim(lease: LeasedApp, ...edit: EditClaim): Promise<object> {
      const claimed = under(lease).edits.map((part) => part.claim?.(...edit));
      const times = (await Promise.all(claimed)).filter((until) => until !== undefined);
      return times.length > 0 ? beginsBefore(new Date(Math.min(...times.map(Number)))) : {};
    },

    /** Returns by how much the parts of an edit let the record grow. */
    growth(edit: AppliedEdit, { parts: facts }: EditedParts, lease: LeasedApp): Growth {
      const all = under(lease).edits.flatMap((part) => part.growth?.(edit, facts?.[part.name]) ?? []);
      const sum = (member: keyof Growth): number => all.reduce((total, one) => total + one[member], 0);
      return { bytes: sum('bytes'), limited: sum('limited') };
    },

    /** Adds the parts of an edit to its statement. Returns what is called when that is stored. */
    add(statement: Statement, edit: AppliedEdit, { parts: facts }: EditedParts, lease: LeasedApp) {
      for (const { filter, onlyPartial } of under(lease).requirements) {
        if (!(edit.isWhole && onlyPartial)) Object.assign(statement.filter, filter);
      }
      const stored = under(lease).edits.flatMap((part) => part.add?.(statement, edit, facts?.[part.name]) ?? []);
      return (record: RecordTarget): void => {
        for (const note of stored) note(record);
      };
    },
  };
}
