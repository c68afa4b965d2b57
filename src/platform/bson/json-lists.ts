import { BsonToJson } from './bson-to-json.ts';
import { DocumentReader, UnknownType } from './documents.ts';

const PIECE_BYTES = 64 * 1024;

/** What is written around documents. */
export interface JsonTexts {
  /** The text after each document, including its brace. */
  after?: string;
  /** The text between two documents. */
  between?: string;
}

/** A member of the JSON of a document. An optional one is left out where the document has none. */
interface WrittenMember {
  name: string;
  /** Its name in the stored document. */
  stored: string;
  isOptional: boolean;
}

/**
 * Writes documents as `JSON.stringify` does, without decoding them; by default as the items of an
 * array without brackets. Yields about 64 kB of UTF-8 at a time, and what it has after each batch,
 * so the first one does not wait.
 * @param decoded returns the members of a document with a type that {@link BsonToJson} lacks
 */
export async function* documentsAsJson(
  batches: AsyncIterable<Uint8Array[]>,
  members: readonly WrittenMember[],
  decoded: (document: Uint8Array) => object,
  texts: JsonTexts = {},
): AsyncGenerator<Uint8Array> {
  const [after, between] = [Buffer.from(texts.after ?? '}'), Buffer.from(texts.between ?? ',')];
  const json = new BsonToJson();
  const slots = members.map(({ name, stored, isOptional }, index) => ({
    stored,
    label: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    isOptional,
    type: 0,
    at: 0,
  }));
  const reader = new DocumentReader(slots.map((slot) => [slot.stored, slot] as const));
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

  function write(document: Buffer): void {
    const before = json.length;
    try {
      locate(document);
      for (const { label, isOptional, type, at } of slots) {
        if (isOptional && type === 0) continue;
        json.bytes(label);
        json.value(type, document, at);
      }
      json.bytes(after);
    } catch (error) {
      if (!(error instanceof UnknownType)) throw error;
      json.cutTo(before);
      json.text(JSON.stringify(decoded(document)).slice(0, -1));
      json.bytes(after);
    }
  }

  function locate(document: Buffer): void {
    for (const slot of slots) slot.type = 0;
    reader.read(document, 0, (slot, type, value) => {
      if (!slot) return;
      slot.type = type;
      slot.at = value;
    });
  }
}
