import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';

interface ArchiveEntry {
  path: string;
  content: Buffer | string;
  compress?: boolean;
}

/** An archive as `yazl` writes it. */
export function zipOf(entries: readonly ArchiveEntry[], options: { forceZip64Format?: boolean } = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { path, content, compress = true } of entries) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else zip.addBuffer(Buffer.from(content), path, { compress });
  }
  zip.end({ forceZip64Format: options.forceZip64Format ?? false, comment: '' });
  return buffer(zip.outputStream as NodeJS.ReadableStream as never);
}

/** What an entry says of itself, whatever is true. */
export interface RawEntry {
  path: string;
  content: Buffer | string;
  flags?: number;
  method?: number;
  size?: number;
  packedSize?: number;
  crc?: number;
  /** Of the local header; by default its own. */
  offset?: number;
}

/** An archive of which each entry says what a test wants. */
export function rawZip(entries: readonly RawEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, content, flags = 0x800, method = 8, ...told } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const { size = bytes.length, packedSize = packed.length, crc = crc32(bytes), offset = at } = told;
    const name = Buffer.from(path);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packedSize, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    central.writeUInt16LE(20, 6);
    local.copy(central, 8, 6, 30);
    central.writeUInt32LE(offset, 42);
    parts.push(local, name, packed);
    directory.push(central, name);
    at += local.length + name.length + packed.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, all, end]);
}

const END = 'PK\x05\x06';

/**
 * An archive with the record of large ones (Zip64), whose end says the numbers too or marks them.
 * @param between bytes between the directory and the record
 */
export function withZip64(archive: Buffer, { isMarked = true, between = Buffer.alloc(0) } = {}): Buffer {
  const at = archive.lastIndexOf(END);
  const end = Buffer.from(archive.subarray(at));
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(8)), 24);
  record.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12) + between.length), 40);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at + between.length), 8);
  locator.writeUInt32LE(1, 16);
  if (isMarked) end.fill(0xff, 8, 20);
  else end.writeUInt32LE(end.readUInt32LE(12) + between.length, 12);
  return Buffer.concat([archive.subarray(0, at), between, record, locator, end]);
}

/** A cell of CSV with a value as JSON. */
export const cellOf = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

export interface SentFile {
  id: string;
  name: string;
  content: Buffer;
  /** As the manifest says; by default the true one. */
  sha256?: string;
}

const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The entries of an archive as an export writes it: the files of each person by email. */
export function exportOf(people: Readonly<Record<string, readonly SentFile[]>>): ArchiveEntry[] {
  const files = Object.values(people).flat();
  const values = (of: readonly SentFile[]) =>
    of.map(({ id, name, content }) => ({ id, name, type: 'pdf', size: content.length, sha256: hash(content) }));
  const rows = Object.entries(people).map(([email, of]) => `${email},${cellOf(values(of))}\r\n`);
  const listed = files.map(({ id, name, content, sha256 = hash(content) }) => ({
    id,
    name,
    sha256,
    path: `files/${id}/${name}`,
  }));
  return [
    { path: 'users.csv', content: `email,data.cv\r\n${rows.join('')}` },
    ...files.map(({ id, name, content }) => ({ path: `files/${id}/${name}`, content, compress: false })),
    { path: 'manifest.json', content: JSON.stringify(listed) },
  ];
}
