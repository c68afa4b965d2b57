import { BsonToJson } from '../database/bson/bson-to-json.ts';
import { DocumentReader } from '../database/bson/document-reader.ts';
import { UnknownType } from '../database/bson/elements.ts';
import { decode } from '../database/collections.ts';
import { type Members, OPTIONAL_MEMBERS, presentMembers, storedName, type UserRecord } from './users.presenter.ts';

/** Records as BSON documents, in batches, in the form in which the database sent them. */
export type RecordBatches = AsyncIterable<Uint8Array[]>;

/** A piece is yielded once it has this many bytes. */
const PIECE_BYTES = 64 * 1024;

/** What stands after each record, its brace included, and between two records. */
export interface JsonLayout {
  after: string;
  between: string;
}

const ITEMS: JsonLayout = { after: '}', between: ',' };

/**
 * Writes the given members of each record, and the optional ones that it has, as JSON, by default
 * as the items of an array without its brackets. The text equals that of `JSON.stringify` on the
 * decoded record, but no record is decoded.
 *
 * @returns UTF-8 pieces of about 64 kB; a piece also ends with each batch, so the first batch is
 *   sent without waiting for the second
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
      // A type that the service never stores (a manual edit): the driver decodes the record.
      json.cutTo(before);
      json.text(JSON.stringify(presentMembers(decode<UserRecord>(record), members)).slice(0, -1));
      json.bytes(after);
    }
  }

  /** Sets the type and the offset of each member's value in this record. */
  function locate(record: Buffer): void {
    for (const slot of slots) slot.type = 0;
    reader.read(record, 0, (slot, type, value) => {
      if (!slot) return;
      slot.type = type;
      slot.at = value;
    });
  }
}
