import { BsonToJson } from '../../platform/bson/bson-to-json.ts';
import { DocumentReader, UnknownType } from '../../platform/bson/documents.ts';
import { decode } from '../../platform/database/collections.ts';
import type { UserDocument } from './users.model.ts';

/** Records as BSON documents, in batches, as the database sent them. */
export type RecordBatches = AsyncIterable<Uint8Array[]>;

const PIECE_BYTES = 64 * 1024;

interface JsonOptions {
  /** Members that a record has only if they apply to it; they come last. */
  listed?: readonly string[];
  /** The text after each record, including its brace. */
  after?: string;
  /** The text between two records. */
  between?: string;
}

/**
 * Writes records as `JSON.stringify` does, without decoding them; by default as the items of an
 * array without brackets. Yields about 64 kB of UTF-8 at a time, and what it has after each batch,
 * so the first one does not wait.
 */
export async function* recordsAsJson(
  batches: RecordBatches,
  members: Members,
  { listed = [], ...texts }: JsonOptions = {},
): AsyncGenerator<Uint8Array> {
  const [after, between] = [Buffer.from(texts.after ?? '}'), Buffer.from(texts.between ?? ',')];
  const json = new BsonToJson();
  const slots = [...members, ...listed].map((member, index) => ({
    label: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(member)}:`),
    isOptional: index >= members.length,
    type: 0,
    at: 0,
  }));
  const names = [...members.map(storedName), ...listed];
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
      json.text(JSON.stringify(presentMembers(decode<UserRecord>(record), members, listed)).slice(0, -1));
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

type Member = (typeof MEMBERS_WITH_APP)[number];
export type Members = readonly Member[];

type StoredName<Name extends Member> = Name extends 'id' ? '_id' : Exclude<Name, 'id'>;

/** The members of a stored record that responses may contain. */
export type UserRecord = Pick<UserDocument, StoredName<Member>>;

/** The name of a member in the stored document. */
export function storedName<Name extends Member>(member: Name): StoredName<Name> {
  return (member === 'id' ? '_id' : member) as StoredName<Name>;
}

/** Returns these members of a record, and those of `listed` that it has. */
export function presentMembers(
  record: Partial<UserRecord>,
  members: Members,
  listed: readonly string[] = [],
): Record<string, unknown> {
  const stored: Readonly<Record<string, unknown>> = record;
  const presented: Record<string, unknown> = {};
  for (const member of members) presented[member] = member === 'id' ? String(record._id) : stored[member];
  for (const member of listed) if (stored[member] !== undefined) presented[member] = stored[member];
  return presented;
}
