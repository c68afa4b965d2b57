import type { ObjectId, UUID } from 'mongodb';
import { NotFound } from '../../platform/core/errors.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { lookup } from '../../platform/database/lookups.ts';
import type { Job } from '../../platform/jobs/job-runner.ts';
import type { UserCollection } from '../stored/record.ts';
import type { RecordId } from '../stored/record-id.ts';
import type { RecordEditor } from '../write/record-edit.ts';
import { MissingContent } from './file-content.ts';
import { markedFiles } from './file-places.ts';
import type { FileStores } from './file-stores.ts';
import { WRITES_END_MS } from './file-writing.ts';
import { BY_SCAN, type FileCollection, type FileDocument, type FileMetadata } from './files.model.ts';
import { type Scanner, ScannerAway } from './scanner.ts';

const SCAN_JOB = 'file scans';
const EVERY_MS = 10_000;
const BATCH = 20;

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
 */
export function createFileScans(deps: FileScanDeps): Job {
  const { files, content, scanner, users, editor, markHeld, markKept } = deps;

  const unfinished = () =>
    typedFilter<FileDocument>({ 'metadata.scan': { $in: scanner ? ['waiting', 'found'] : ['found'] } });

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
    const isClaimed = claim && claim.until.getTime() + WRITES_END_MS >= now.getTime();
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

  return {
    name: SCAN_JOB,
    everyMs: EVERY_MS,
    hasWork: (hasAny) => hasAny([lookup(files, unfinished())]),
    async run({ stillOwner }) {
      const options = { projection: { length: 1, metadata: 1, now: '$$NOW' }, hint: BY_SCAN, sort: BY_SCAN };
      const found = await files.find<ScannedFile>(unfinished(), { ...options, limit: BATCH }).toArray();
      const failures: unknown[] = [];
      for (const file of found) {
        if (!stillOwner()) return false;
        try {
          await (file.metadata.scan === 'waiting' ? scan(file) : finish(file));
        } catch (error) {
          if (error instanceof ScannerAway) return false;
          // It is being removed, or its record is. Others do not wait for it.
          if (!(error instanceof MissingContent)) failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return found.length === BATCH;
    },
  };
}
