import type { ObjectId } from 'mongodb';
import { UUID } from 'mongodb';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { FileValue } from '../../fields/kinds/file.ts';
import { decode } from '../../platform/database/collections.ts';
import { archivePath, type FileDocument } from '../../records/files/files.model.ts';
import type { Files } from '../../records/files/files.ts';
import type { RecordBatches, UserRecord } from '../../records/stored/record-json.ts';
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
 * `files/<id>/<name>`, and `manifest.json`, which lists them and says which are not there.
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
  const keys = fields.filter(({ kind }) => kind === 'file').map(({ key }) => key);
  const named: Listed[] = [];
  yield { path: 'users.csv', content: csvOf(noting(records, keys, named)), modified, isText: true };
  const absent = new Map<string, Absence>();
  for (let at = 0; at < named.length; at += FILES_AT_ONCE) {
    yield* filesOf(named.slice(at, at + FILES_AT_ONCE), exported, absent);
  }
  yield { path: 'manifest.json', content: manifest(named, absent), modified, isText: true };
}

/** Passes records on, and notes the files that they name. */
async function* noting(records: RecordBatches, keys: readonly string[], named: Listed[]): RecordBatches {
  for await (const batch of records) {
    for (const bytes of keys.length > 0 ? batch : []) {
      const { _id, data } = decode<UserRecord>(bytes);
      for (const field of keys) {
        const value = Object.hasOwn(data, field) ? data[field] : undefined;
        for (const file of isFiles(value) ? value : []) named.push({ record: String(_id), field, ...file });
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
  absent: Map<string, Absence>,
): AsyncGenerator<ZipEntry> {
  const ids = some.map(({ id }) => new UUID(id));
  const found = await files.find({ 'metadata.appId': appId, _id: { $in: ids } }).toArray();
  const byId = new Map(found.map((file) => [String(file._id), file]));
  for (const { id, name } of some) {
    const file = byId.get(id);
    const absence = absenceOf(file);
    if (absence) absent.set(id, absence);
    else if (file) {
      const range = { start: 0, end: file.length - 1 };
      const bytes = content.of(file.metadata).read(file, range);
      const isText = file.metadata.type === 'txt' || file.metadata.type === 'csv';
      yield { path: archivePath(id, name), content: bytes, modified: file.uploadDate, isText };
    }
  }
}

function absenceOf(file: FileDocument | undefined): Absence | undefined {
  if (file?.metadata.state !== 'whole') return 'gone';
  const { scan } = file.metadata;
  return scan === 'found' ? 'infected' : scan;
}

async function* manifest(named: readonly Listed[], absent: ReadonlyMap<string, Absence>): AsyncGenerator<string> {
  yield '[';
  for (const [index, file] of named.entries()) {
    const missing = absent.get(file.id);
    const path = archivePath(file.id, file.name);
    const line = { ...file, ...(missing === undefined ? { path } : { missing }) };
    yield `${index === 0 ? '' : ','}\n${JSON.stringify(line)}`;
  }
  yield '\n]\n';
}
