import type { ZodType } from 'zod';
import { BsonToJson } from '../../platform/bson/bson-to-json.ts';
import { DocumentReader, UnknownType } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import type { UserDocument } from './record.ts';

/** Records as BSON documents, in batches, as the database sent them. */
export type RecordBatches = AsyncIterable<Uint8Array[]>;

const PIECE_BYTES = 64 * 1024;

/** The text after each record, including its brace, and between two records. */
interface JsonLayout {
  after: string;
  between: string;
}

const ITEMS: JsonLayout = { after: '}', between: ',' };

/**
 * Writes records as `JSON.stringify` does, without decoding them; by default as the items of an
 * array without brackets. Yields about 64 kB of UTF-8 at a time, and what it has after each batch,
 * so the first one does not wait.
 */
export async function* recordsAsJson(
  batches: RecordBatches,
  members: Members,
  layout: JsonLayout = ITEMS,
): AsyncGenerator<Uint8Array> {
  const [after, between] = [Buffer.from(layout.after), Buffer.from(layout.between)];
  const json = new BsonToJson();
  const slots = [...members, ...OPTIONAL_MEMBERS].map((member, index) => ({
    label: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(member)}:`),
    isOptional: index >= members.length,
    type: 0,
    at: 0,
  }));
  const names = [...members.map(storedName), ...OPTIONAL_MEMBERS];
  const reader = new DocumentReader(slots.map((slot, index) => [names[index] as string, slot]));
  let isFirst = true;
  for await (const batch of batches) {
    for (const bytes of batch) {
      if (json.length >= PIECE_BYTES) yield json.take();
      if (!isFirst) json.bytes(between);
      isFirst = false;
      write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    }
    if (json.length > 0) yield json.take();
  }

  function write(record: Buffer): void {
    const before = json.length;
    try {
      locate(record);
      for (const { label, isOptional, type, at } of slots) {
        if (isOptional && type === 0) continue;
        json.bytes(label);
        json.value(type, record, at);
      }
      json.bytes(after);
    } catch (error) {
      if (!(error instanceof UnknownType)) throw error;
      // A type that the service never stores (a manual edit): the driver decodes it.
      json.cutTo(before);
      json.text(JSON.stringify(presentMembers(decode<UserRecord>(record), members)).slice(0, -1));
      json.bytes(after);
    }
  }

  function locate(record: Buffer): void {
    for (const slot of slots) slot.type = 0;
    reader.read(record, 0, (slot, type, value) => {
      if (!slot) return;
      slot.type = type;
      slot.at = value;
    });
  }
}

/** The members of a record in the responses for one app (spec 4.3). */
export const OWN_MEMBERS = ['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt'] as const;
/** The members in listings across apps (spec 4.4). */
export const MEMBERS_WITH_APP = ['id', 'sourceAppId', ...OWN_MEMBERS.slice(1)] as const;

/** Members that a record has only if they apply to it; they come last in each list of members. */
export const OPTIONAL_MEMBERS = ['confirmedAt'] as const;

type OwnMember = (typeof OWN_MEMBERS)[number];
type Member = (typeof MEMBERS_WITH_APP)[number];
export type Members = readonly Member[];

type StoredName<Name extends Member> = Name extends 'id' ? '_id' : Exclude<Name, 'id'>;

/** The members of a stored record that responses may contain. */
export type UserRecord = Pick<UserDocument, StoredName<Member> | (typeof OPTIONAL_MEMBERS)[number]>;

/** A record with what its parts show of it. */
export type DetailedRecord = UserRecord;

export type PresentedUser = { [Name in OwnMember]: Name extends 'id' ? string : UserRecord[StoredName<Name>] } & {
  confirmedAt?: Date;
};

/** The name of a member in the stored document. */
export function storedName<Name extends Member>(member: Name): StoredName<Name> {
  return (member === 'id' ? '_id' : member) as StoredName<Name>;
}

const RECORD_PROJECTION = Object.fromEntries(
  [...MEMBERS_WITH_APP.map(storedName), ...OPTIONAL_MEMBERS].map((name) => [name, 1]),
);

function presentMembers(record: UserRecord, members: Members): Record<string, unknown> {
  const presented: Record<string, unknown> = {};
  for (const member of members) presented[member] = member === 'id' ? record._id.toString() : record[member];
  for (const member of OPTIONAL_MEMBERS) if (record[member] !== undefined) presented[member] = record[member];
  return presented;
}

/** Presents a record for the operators of its app (spec 4.3). */
export function presentUser(record: UserRecord): PresentedUser {
  return presentMembers(record, OWN_MEMBERS) as unknown as PresentedUser;
}

/** What a feature adds to the answer about one record (spec 4.3). */
export interface ShownPart {
  /** The stored members that it reads. */
  readonly members: readonly string[];
  /** The members of the answer. */
  readonly schema: Readonly<Record<string, ZodType>>;
  present(record: object): Record<string, unknown>;
}

export type RecordDetails = ReturnType<typeof createRecordDetails>;

/** The answer about one record, with what features show of it. */
export function createRecordDetails(parts: readonly ShownPart[] = []) {
  const members = parts.flatMap((part) => part.members);
  return {
    projection: { ...RECORD_PROJECTION, ...Object.fromEntries(members.map((member) => [member, 1])) },
    /** The members of the answer that features add. */
    schema: Object.assign({}, ...parts.map(({ schema }) => schema)) as Record<string, ZodType>,

    present(record: DetailedRecord): Record<string, unknown> {
      const { createdAt, updatedAt, confirmedAt, ...user } = presentUser(record);
      const shown = {
        ...user,
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
        ...(confirmedAt && { confirmedAt: confirmedAt.toISOString() }),
      };
      return Object.assign(shown, ...parts.map((part) => part.present(record)));
    },
  };
}
