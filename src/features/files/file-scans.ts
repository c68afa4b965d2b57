import type { ObjectId, UUID } from 'mongodb';
import type { RecordId, UserCollection } from '../../core/users/users.model.ts';
import { NotFound } from '../../platform/core/errors.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { STATEMENT_ENDS_MS } from '../../platform/database/lateness.ts';
import { lookup } from '../../platform/database/lookups.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import type { RecordEditor } from '../records/record-edit.ts';
import { MissingContent } from './file-content.ts';
import { markedFiles } from './file-places.ts';
import type { FileStores } from './file-stores.ts';
import { BY_SCAN, type FileCollection, type FileDocument, type FileMetadata } from './files.model.ts';
import { NotScanned, type Scanner, ScannerAway } from './scanner.ts';

const SCAN_JOB = 'file scans';
const EVERY_MS = 10_000;
const BATCH = 20;
/** How often files are scanned again that could not be, and how many. */
const AGAIN_EVERY_MS = 10_000;
const AGAIN = 5;

type Data = Readonly<Record<string, unknown>>;
type ScannedFile = FileDocument & { now: Date };

/** Marks the file in a held submission that names it. */
type MarkHeld = (appId: ObjectId, held: UUID, file: string) => Promise<void>;

interface FileScanDeps {
  files: FileCollection;
  content: Pick<FileStores, 'of' | 'remove'>;
  /** Undefined: files that wait go on waiting. */
  scanner: Scanner | undefined;
  users: UserCollection;
  editor: Pick<RecordEditor, 'change'>;
  markHeld: MarkHeld;
  /** Marks it in the kept submissions of a record. */
  markKept(appId: ObjectId, record: RecordId, file: string): Promise<void>;
}

/**
 * Scans the files that came while the scanner was away (spec 4.14.7). The document of a file says
 * first that it is infected: from then on nobody can read it. Then its content is removed, and what
 * names it is marked, again until no write that may still name it is left.
 *
 * A file that cannot be scanned, or marked, stops no other one: it becomes `failed`, and `failed`
 * and `found` files have their turns in the order of their ids, from where the last run ended.
 */
export function createFileScans(deps: FileScanDeps): Job {
  const { files, content, scanner, users, editor, markHeld, markKept } = deps;
  /** The last file of a state that had its turn. */
  const last: { failed?: UUID; found?: UUID } = {};
  let againAt = Number.NEGATIVE_INFINITY;

  const unfinished = () =>
    typedFilter<FileDocument>({ 'metadata.scan': { $in: scanner ? ['waiting', 'failed', 'found'] : ['found'] } });

  /** Changes the state of a file that is still in the one that was read. */
  async function become({ _id, metadata }: ScannedFile, scan: FileMetadata['scan']): Promise<ScannedFile | undefined> {
    const { appId, scan: before, claim } = metadata;
    const asRead = typedFilter<FileDocument>({
      _id,
      'metadata.appId': appId,
      'metadata.state': 'whole',
      'metadata.scan': before,
      // A claim in between may have to be marked.
      ...(scan === 'infected' && { 'metadata.claim.id': claim?.id ?? { $exists: false } }),
    });
    const update = scan ? { $set: { 'metadata.scan': scan } } : { $unset: { 'metadata.scan': '' as const } };
    const options = { returnDocument: 'after', projection: { length: 1, metadata: 1, now: '$$NOW' } } as const;
    return ((await files.findOneAndUpdate(asRead, update, options)) ?? undefined) as ScannedFile | undefined;
  }

  async function scan(file: ScannedFile): Promise<void> {
    const whole = { start: 0, end: file.length - 1 };
    const bytes = content.of(file.metadata).read(file, whole);
    if (!(await scanner?.isInfected(bytes))) return void (await become(file, undefined));
    const found = await become(file, 'found');
    if (found) await finish(found);
  }

  /** Removes what is infected, and marks it. */
  async function finish(file: ScannedFile): Promise<void> {
    const { _id, now, metadata } = file;
    const { appId, record, held, claim } = metadata;
    await content.remove([file]);
    if (record) {
      await markRecord(appId, record, _id.toString());
      await markKept(appId, record, _id.toString());
    }
    if (held) await markHeld(appId, held, _id.toString());
    const isClaimed = claim && claim.until.getTime() + STATEMENT_ENDS_MS >= now.getTime();
    if (!isClaimed) await become(file, 'infected');
  }

  async function markRecord(appId: ObjectId, _id: RecordId, id: string): Promise<void> {
    const options = { projection: { sourceAppId: 1, data: 1 } } as const;
    const record = await users.findOne({ _id, appId }, options);
    if (!record || Object.keys(markedFiles(record.data, id)).length === 0) return;
    const app = { id: appId, sourceAppId: record.sourceAppId };
    const end = performance.now() + EVERY_MS;
    const edit = async ({ data }: { data: Data }) => ({ set: markedFiles(data, id), unset: [], removeItems: [] });
    try {
      await editor.change(app, _id.toString(), edit, { kind: 'scan' }, () => end - performance.now());
    } catch (error) {
      // The record or its app is gone.
      if (!(error instanceof NotFound)) throw error;
    }
  }

  /** The next files of a state. */
  function read(state: FileMetadata['scan'], limit: number, after?: UUID): Promise<ScannedFile[]> {
    const those = { 'metadata.scan': state, ...(after && { _id: { $gt: after } }) };
    const options = { projection: { length: 1, metadata: 1, now: '$$NOW' }, hint: BY_SCAN, sort: BY_SCAN, limit };
    return files.find<ScannedFile>(typedFilter<FileDocument>(those), options).toArray();
  }

  /** Resolves with whether a file could be scanned. @throws {ScannerAway} */
  async function scanOrPutBehind(file: ScannedFile, failures: unknown[]): Promise<boolean> {
    try {
      await scan(file);
      return true;
    } catch (error) {
      if (error instanceof ScannerAway) throw error;
      if (file.metadata.scan === 'waiting') await become(file, 'failed');
      // Of missing content: the file is being removed, or its record is.
      if (!(error instanceof NotScanned || error instanceof MissingContent)) failures.push(error);
      return false;
    }
  }

  /** Finishes some files that are infected; resolves with whether there are more. */
  async function finishSome(stillOwner: () => boolean, failures: unknown[]): Promise<boolean> {
    const found = await read('found', BATCH, last.found);
    for (const file of found) {
      if (!stillOwner()) return false;
      last.found = file._id;
      await finish(file).catch((error: unknown) => failures.push(error));
    }
    if (found.length < BATCH) delete last.found;
    return found.length === BATCH;
  }

  /** Scans some files; resolves with whether there are more. @throws {ScannerAway} */
  async function scanSome(stillOwner: () => boolean, failures: unknown[]): Promise<boolean> {
    const waiting = await read('waiting', BATCH);
    for (const file of waiting) {
      if (!stillOwner()) return false;
      await scanOrPutBehind(file, failures);
    }
    if (waiting.length === BATCH) return true;
    if (performance.now() < againAt) return false;
    const failed = await read('failed', AGAIN, last.failed);
    let isScanned = false;
    for (const file of failed) {
      if (!stillOwner()) return false;
      last.failed = file._id;
      if (await scanOrPutBehind(file, failures)) isScanned = true;
    }
    if (failed.length < AGAIN) delete last.failed;
    // Once one of them can be scanned, probably others can.
    if (!isScanned) againAt = performance.now() + AGAIN_EVERY_MS;
    return isScanned;
  }

  return {
    name: SCAN_JOB,
    everyMs: EVERY_MS,
    hasWork: (hasAny) => hasAny([lookup(files, unfinished())]),
    async run({ stillOwner }) {
      const failures: unknown[] = [];
      let hasMore = await finishSome(stillOwner, failures);
      try {
        if (scanner && (await scanSome(stillOwner, failures))) hasMore = true;
      } catch (error) {
        if (!(error instanceof ScannerAway)) throw error;
      }
      if (failures.length > 0) throw failures[0];
      return hasMore && stillOwner();
    },
  };
}
