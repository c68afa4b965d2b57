import { BsonToJson } from '../database/bson/bson-to-json.ts';
import { endOfName, lengthOf, UnknownType } from '../database/bson/elements.ts';
import { decode } from '../database/collections.ts';
import type { UserRecord } from './users.model.ts';

/** Records as the database sent them, in BSON, some at a time. */
export type RecordBatches = AsyncIterable<Uint8Array[]>;

/** So many bytes are worth a write to the socket. */
const ENOUGH = 64 * 1024;

const COMMA = Buffer.from(',');
const END = Buffer.from('}');
const STORED_NAMES = { id: '_id' } as Record<string, string>;

/** A record's members as listings show them (spec 4.3). */
export const OWN_MEMBERS = ['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt'] as const;
/** The same for listings of several apps (spec 4.4). */
export const MEMBERS_WITH_APP = ['id', 'sourceAppId', ...OWN_MEMBERS.slice(1)] as const;

type Member = (typeof MEMBERS_WITH_APP)[number];
export type Members = readonly Member[];

function showMember(record: UserRecord, member: Member): unknown {
  return member === 'id' ? record._id.toString() : record[member];
}

/**
 * Records as the items of a JSON array, in pieces of some 64 kB. The first is there as soon as the first batch.
 */
export async function* recordsAsJson(batches: RecordBatches, members: Members): AsyncGenerator<Uint8Array> {
  const json = new BsonToJson();
  const slots = members.map((member, index) => ({
    label: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(member)}:`),
    name: Buffer.from(`${STORED_NAMES[member] ?? member}\0`),
    type: 0,
    at: 0,
  }));
  let isFirst = true;
  for await (const batch of batches) {
    for (const bytes of batch) {
      if (json.length >= ENOUGH) yield json.take();
      if (!isFirst) json.bytes(COMMA);
      isFirst = false;
      write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    }
    if (json.length > 0) yield json.take();
  }

  function write(record: Buffer): void {
    const before = json.length;
    try {
      find(record);
      for (const { label, type, at } of slots) {
        json.bytes(label);
        json.value(type, record, at);
      }
      json.bytes(END);
    } catch (error) {
      if (!(error instanceof UnknownType)) throw error;
      // What the service did not write itself, and no JSON can say, is for the driver.
      json.cutTo(before);
      const decoded = decode<UserRecord>(record);
      json.text(JSON.stringify(Object.fromEntries(members.map((member) => [member, showMember(decoded, member)]))));
    }
  }

  /** Where each member's value is in this record. */
  function find(record: Buffer): void {
    for (const slot of slots) slot.type = 0;
    for (let at = 4; record[at] !== 0; ) {
      const type = record[at] as number;
      const end = endOfName(record, at + 1);
      const slot = slots.find(({ name }) => name.length === end - at && isAt(name, record, at + 1));
      if (slot) {
        slot.type = type;
        slot.at = end + 1;
      }
      at = end + 1 + lengthOf(type, record, end + 1);
    }
  }
}

function isAt(name: Buffer, record: Buffer, at: number): boolean {
  for (let index = 0; index < name.length; index += 1) if (name[index] !== record[at + index]) return false;
  return true;
}
