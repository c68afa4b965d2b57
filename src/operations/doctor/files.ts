import type { UUID } from 'mongodb';
import type { FileContent, StoredContent } from '../../features/files/file-content.ts';
import { createFileStores } from '../../features/files/file-stores.ts';
import { createChunkModel, type FileDocument, type FileMetadata } from '../../features/files/files.model.ts';
import { createScanner } from '../../features/files/scanner.ts';
import { createLogger } from '../../platform/core/logger.ts';
import type { Context, Diagnosis } from './context.ts';
import { type Finding, fault, good, reasonOf, size, warning } from './findings.ts';

type Given = Pick<Diagnosis, 'config' | 'connection' | 'database'>;

/** The time of one comparison, below that of a check. */
const COMPARE_MS = 25_000;
const DOCUMENTS_AT_ONCE = 1_000;
const STATEMENT_MS = 10_000;
/** Differences that are read again: a file may have been stored or removed meanwhile. */
const MAX_DIFFERENCES = 100;

const SILENT = createLogger({ logLevel: 'silent' }, { write: () => undefined });

const storesOf = ({ config, connection }: Given) =>
  createFileStores(createChunkModel(connection).collection, config.filesBucket, SILENT);

/** Whether the bucket can be read and written. */
export async function checkFileStore(context: Context): Promise<Finding> {
  const { s3 } = storesOf(context);
  if (!s3) return good('files are in the database');
  try {
    await s3.check();
    return good('the bucket of FILES_URL can be read and written');
  } catch (error) {
    return fault(
      `the bucket of FILES_URL cannot be read and written (${reasonOf(error)})`,
      'Check FILES_URL, the credentials and rights of AWS (docs/operations.md), and the network.',
    );
  }
}

/** Whether the virus scanner answers. It gets a few bytes. */
export async function checkScanner({ config }: Pick<Context, 'config'>): Promise<Finding> {
  const { clamd } = config;
  const scanner = createScanner(clamd, SILENT);
  if (!clamd || !scanner) return good('CLAMD is not set: no file is scanned');
  const place = `${clamd.host}:${clamd.port}`;
  try {
    await scanner.isInfected(pieces(Buffer.from('a file')));
    return good(`${place} scans files`);
  } catch (error) {
    const advice = 'Check CLAMD, clamd and the network: files wait for it, and nobody can read them until then.';
    return fault(`${place} does not scan files (${(error as Error).message})`, advice);
  }
}

async function* pieces(...all: Buffer[]): AsyncGenerator<Buffer> {
  yield* all;
}

/** The space of files, and whether each has its content, and each content its file. */
export async function checkFiles(context: Given, withinMs = COMPARE_MS): Promise<Finding[]> {
  const stores = storesOf(context);
  const findings = [await compareStore(context, 'database', stores.database, withinMs)];
  if (stores.s3) findings.push(await compareStore(context, 's3', stores.s3, withinMs));
  else {
    const filter = { 'metadata.store': 's3', 'metadata.state': 'whole' } as const;
    const found = await filesOf(context).countDocuments(filter, { maxTimeMS: STATEMENT_MS });
    const advice = 'Set FILES_URL to that bucket, or to a copy of it.';
    if (found > 0) findings.push([fault(`${found} files are in a bucket, and FILES_URL is unset`, advice)]);
  }
  return findings.flat();
}

const PLACES = { database: 'the database', s3: 'the bucket' };

async function compareStore(
  context: Given,
  store: FileMetadata['store'],
  content: FileContent,
  withinMs: number,
): Promise<Finding[]> {
  const place = PLACES[store];
  const { files, bytes, isComplete, missing, orphans } = await compare(context, store, content, withinMs);
  const space = `${files} files with ${size(bytes)} in ${place}`;
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const found = `${some(missing)} of the files in ${place} have no content, or a part of it`;
    findings.push(fault(`${found}, such as ${missing[0]}`, 'Restore the content from a backup.'));
  }
  if (orphans.length > 0) {
    const found = `${some(orphans)} contents in ${place} belong to no file of this database, such as ${orphans[0]}`;
    const advice = 'Remove them by hand if no other database and no restore needs them: nothing is removed by itself.';
    findings.push(warning(found, advice));
  }
  if (findings.length > 0) return findings;
  return [good(isComplete ? space : `${space}, as far as they could be compared in ${withinMs / 1_000} s`)];
}

const some = ({ length }: readonly string[]): string =>
  length < MAX_DIFFERENCES ? `${length}` : `at least ${MAX_DIFFERENCES}`;

/** Compares documents and contents, both in the order of ids. */
async function compare(context: Given, store: FileMetadata['store'], content: FileContent, withinMs: number) {
  const until = performance.now() + withinMs;
  const found = { files: 0, bytes: 0, isComplete: true, missing: [] as string[], orphans: [] as string[] };
  const contents = content.list()[Symbol.asyncIterator]();
  let next = await contents.next();
  const pass = async (): Promise<void> => {
    next = await contents.next();
  };

  /** Passes the contents before a file, which belong to none. */
  async function passUntil(id: UUID | undefined): Promise<void> {
    while (!next.done && (id === undefined || isBefore(next.value.id, id))) {
      const { id: orphan } = next.value;
      if (await isOrphan(context, content, orphan)) found.orphans.push(orphan.toHexString(true));
      if (isOver()) return;
      await pass();
    }
  }

  function isOver(): boolean {
    const differences = Math.max(found.missing.length, found.orphans.length);
    found.isComplete = performance.now() < until && differences < MAX_DIFFERENCES;
    return !found.isComplete;
  }

  for await (const file of documentsOf(context)) {
    await passUntil(file._id);
    if (isOver()) break;
    const stored: StoredContent | undefined = !next.done && next.value.id.equals(file._id) ? next.value : undefined;
    if (stored) await pass();
    if (!isIn(file, store)) continue;
    found.files += 1;
    found.bytes += file.length;
    if (stored?.bytes === file.length || file.length === 0) continue;
    if (await isMissing(context, store, content, file)) found.missing.push(file._id.toHexString(true));
  }
  if (found.isComplete) await passUntil(undefined);
  await contents.return?.();
  return found;
}

const isBefore = (a: UUID, b: UUID): boolean => Buffer.compare(a.buffer, b.buffer) < 0;

const isIn = ({ metadata }: FileDocument, store: FileMetadata['store']): boolean =>
  metadata.state === 'whole' && metadata.store === store && metadata.scan !== 'infected';

async function isMissing(context: Given, store: FileMetadata['store'], content: FileContent, file: FileDocument) {
  const stored = await findContent(content, file._id);
  if (stored?.bytes === file.length) return false;
  const again = await findFile(context, file._id);
  return again !== null && isIn(again, store);
}

async function isOrphan(context: Given, content: FileContent, id: UUID): Promise<boolean> {
  return (await findContent(content, id)) !== undefined && (await findFile(context, id)) === null;
}

async function findContent(content: FileContent, id: UUID): Promise<StoredContent | undefined> {
  for await (const stored of content.list(id)) return stored.id.equals(id) ? stored : undefined;
  return undefined;
}

const filesOf = ({ database }: Given) => database.collection<FileDocument>('files.files');

const findFile = (context: Given, _id: UUID): Promise<FileDocument | null> =>
  filesOf(context).findOne({ _id }, { maxTimeMS: STATEMENT_MS });

async function* documentsOf(context: Given): AsyncGenerator<FileDocument> {
  const projection = { length: 1, metadata: 1 };
  const options = { projection, sort: { _id: 1 }, limit: DOCUMENTS_AT_ONCE, maxTimeMS: STATEMENT_MS } as const;
  let after: UUID | undefined;
  for (;;) {
    const filter = after ? { _id: { $gt: after } } : {};
    const page = await filesOf(context).find(filter, options).toArray();
    yield* page;
    if (page.length < DOCUMENTS_AT_ONCE) return;
    after = page.at(-1)?._id;
  }
}
