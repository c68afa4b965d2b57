import type { ObjectId } from 'mongodb';
import { UUID } from 'mongodb';
import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import type { FileValue } from '../../core/fields/kinds/file.ts';
import type { RecordBatches, UserRecord } from '../../core/users/record-json.ts';
import { decode } from '../../platform/database/collections.ts';
import { archivePath } from '../files/file-names.ts';
import type { FileDocument } from '../files/files.model.ts';
import type { Files } from '../files/files.ts';
import { PackedBytes } from './packed-bytes.ts';
import type { ZipEntry } from './zip.ts';

/** A file of the manifest. */
interface Listed extends FileValue {
  record: string;
  field: string;
}

/** Why the archive lacks a file that a record names. */
type Absence = 'gone' | 'waiting' | 'infected';

/** The documents of files that one statement reads. */
const FILES_AT_ONCE = 100;

/** The files of an app, for archives. */
export interface ExportedFiles {
  appId: ObjectId;
  files: Pick<Files, 'files' | 'content'>;
}

/**
 * Yields the entries of an archive (spec 4.14.5): `users.csv`, the files that its records name in
 * `files/<id>/<name>`, and `manifest.json`, which lists them and says which are not there. Of each
 * file some 100 bytes are kept: its value is packed, until the manifest has it.
 *
 * @param csvOf writes the records, which are read once
 */
export async function* zipEntries(
  records: RecordBatches,
  fields: readonly FieldDefinition[],
  csvOf: (records: RecordBatches) => AsyncIterable<Uint8Array>,
  exported: ExportedFiles,
): AsyncGenerator<ZipEntry> {
  const modified = new Date();
  const keys = fields.filter(holdsFiles).map(({ key }) => key);
  const named = new PackedBytes();
  yield { path: 'users.csv', content: csvOf(noting(records, keys, named)), modified, isText: true };
  const manifest = new PackedBytes();
  for (const block of named.take()) {
    const listed = block.toString().trimEnd().split('\n');
    for (let at = 0; at < listed.length; at += FILES_AT_ONCE) {
      const some = listed.slice(at, at + FILES_AT_ONCE).map((line): Listed => JSON.parse(line));
      yield* filesOf(some, exported, manifest);
    }
  }
  yield { path: 'manifest.json', content: listIn(manifest), modified, isText: true };
}

/** Passes records on, and notes the files that they name. */
async function* noting(records: RecordBatches, keys: readonly string[], named: PackedBytes): RecordBatches {
  for await (const batch of records) {
    for (const bytes of keys.length > 0 ? batch : []) {
      const { _id, data } = decode<UserRecord>(bytes);
      for (const field of keys) {
        const value = Object.hasOwn(data, field) ? data[field] : undefined;
        for (const file of isFiles(value) ? value : []) {
          named.add(Buffer.from(`${JSON.stringify({ record: String(_id), field, ...file })}\n`));
        }
      }
    }
    yield batch;
  }
}

function isFiles(value: unknown): value is FileValue[] {
  return Array.isArray(value) && value.every((one) => UUID.isValid(one?.id));
}

async function* filesOf(
  some: readonly Listed[],
  { appId, files: { files, content } }: ExportedFiles,
  manifest: PackedBytes,
): AsyncGenerator<ZipEntry> {
  const ids = some.map(({ id }) => new UUID(id));
  const found = await files.find({ 'metadata.appId': appId, _id: { $in: ids } }).toArray();
  const byId = new Map(found.map((file) => [String(file._id), file]));
  for (const listed of some) {
    const file = byId.get(listed.id);
    const missing = absenceOf(file);
    const path = archivePath(listed.id, listed.name);
    manifest.add(Buffer.from(`${JSON.stringify({ ...listed, ...(missing ? { missing } : { path }) })}\n`));
    if (!file || missing) continue;
    const bytes = content.of(file.metadata).read(file, { start: 0, end: file.length - 1 });
    const isText = file.metadata.type === 'txt' || file.metadata.type === 'csv';
    yield { path, content: bytes, modified: file.uploadDate, isText };
  }
}

function absenceOf(file: FileDocument | undefined): Absence | undefined {
  if (file?.metadata.state !== 'whole') return 'gone';
  const { scan } = file.metadata;
  if (scan === 'found') return 'infected';
  return scan === 'failed' ? 'waiting' : scan;
}

/** The lines as a JSON list. */
async function* listIn(manifest: PackedBytes): AsyncGenerator<string> {
  yield '[';
  let between = '\n';
  for (const block of manifest.take()) {
    yield between + block.toString().trimEnd().replaceAll('\n', ',\n');
    between = ',\n';
  }
  yield '\n]\n';
}
