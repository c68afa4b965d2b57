import { deflateRawSync } from 'node:zlib';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { assertDocumented } from './openapi.ts';

/** The beginning of a PDF, with the bytes that a test needs. */
export const pdf = (content = 'content'): Buffer => Buffer.from(`%PDF-1.7\n${content}\n%%EOF\n`);

/** A PDF of this many bytes. */
export function pdfOf(bytes: number, fill = 7): Buffer {
  const file = Buffer.alloc(bytes, fill);
  file.write('%PDF-1.7\n');
  return file;
}

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const CV: FieldDefinitionInput = { key: 'cv', kind: 'file', types: ['pdf', 'png'], maxFiles: 3 };

interface Sent {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any answer
  body: any;
  headers: Headers;
}

interface UploadOptions {
  field?: string;
  name?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** Sends a file for a field, and checks that the answer is documented. */
export async function upload(
  url: string,
  sourceAppId: string,
  body: Buffer | string | ReadableStream,
  { field = 'cv', name = 'cv.pdf', token, headers = {} }: UploadOptions = {},
): Promise<Sent> {
  const query = new URLSearchParams({ field, name, ...(token !== undefined && { token }) });
  const path = `/v1/forms/${sourceAppId}/files`;
  const response = await fetch(`${url}${path}?${query}`, {
    method: 'POST',
    headers,
    body: body instanceof Buffer ? new Uint8Array(body) : body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
  const text = await response.text();
  const sent = { status: response.status, body: JSON.parse(text), headers: response.headers };
  assertDocumented('POST', path, {
    ...sent,
    text,
    type: 'application/json',
    headers: Object.fromEntries(response.headers),
  } as never);
  return sent;
}

/** Sends a part of a file. `total`: undefined for one that is not known. */
export function uploadPart(
  url: string,
  sourceAppId: string,
  file: Buffer,
  { first, end, total = file.length, ...options }: UploadOptions & { first: number; end: number; total?: number | '*' },
): Promise<Sent> {
  const range = `bytes ${first}-${end - 1}/${total}`;
  return upload(url, sourceAppId, file.subarray(first, end), {
    ...options,
    headers: { ...options.headers, 'content-range': range },
  });
}

/** The entries of an archive: names and contents. */
type Entries = readonly (readonly [name: string, content: string | Buffer])[];

/** Returns a ZIP archive. The first entry is stored, as documents of OpenDocument need it. */
export function zip(entries: Entries, comment = ''): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, given]] of entries.entries()) {
    const content = Buffer.from(given);
    const isStored = index === 0;
    const bytes = isStored ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, place, Buffer.from(name)]));
    local.push(header, bytes);
    offset += header.length + bytes.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...local, directory, end, Buffer.from(comment)]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
