import type { ZodType } from 'zod';
import {
  MEMBERS_WITH_APP,
  OWN_MEMBERS,
  presentMembers,
  storedName,
  type UserRecord,
} from '../../core/users/record-json.ts';
import type { RecordPart } from '../../core/users/record-part.ts';

/** What a feature adds to the answer about one record (spec 4.3). */
interface ShownPart {
  /** The stored members that it reads. */
  readonly members: readonly string[];
  /** The members of the answer. */
  readonly schema: Readonly<Record<string, ZodType>>;
  present(record: object): Record<string, unknown>;
}

declare module '../../core/users/record-part.ts' {
  interface RecordPart {
    readonly shown?: ShownPart;
  }
}

/** A record with what its parts show of it. */
export type DetailedRecord = UserRecord;

export type RecordDetails = ReturnType<typeof createRecordDetails>;

/** The answer about one record, with what features show of it. */
export function createRecordDetails(parts: readonly RecordPart[] = []) {
  const listed = Object.assign({}, ...parts.map((part) => part.listed)) as Record<string, ZodType>;
  const names = Object.keys(listed);
  const shown = parts.flatMap((part) => part.shown ?? []);
  const read = [...MEMBERS_WITH_APP.map(storedName), ...names, ...shown.flatMap(({ members }) => members)];
  return {
    projection: Object.fromEntries(read.map((member) => [member, 1])),
    /** The members of the answer that features add. */
    schema: Object.assign({}, listed, ...shown.map(({ schema }) => schema)) as Record<string, ZodType>,

    present(record: DetailedRecord): Record<string, unknown> {
      const presented = presentMembers(record, OWN_MEMBERS, names);
      for (const [name, value] of Object.entries(presented)) {
        if (value instanceof Date) presented[name] = value.toISOString();
      }
      return Object.assign(presented, ...shown.map((part) => part.present(record)));
    },
  };
}
