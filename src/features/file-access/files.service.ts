import { ObjectId } from 'mongodb';
import type { ScopedApp } from '../../core/api/principal.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { Conflict, Gone, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import type { OperatorLoad } from '../../platform/http/operator-load.ts';
import { type ByteRange, StoredFile } from '../../platform/http/reply.ts';
import { FILE_TYPES, type FileTypeName } from '../../platform/text/file-types.ts';
import { MissingContent } from '../files/file-content.ts';
import type { FindPlace } from '../files/file-places.ts';
import type { FileStores } from '../files/file-stores.ts';
import type { FileCollection, FileDocument } from '../files/files.model.ts';

/** How long a link is valid. */
const LINK_MS = 15 * 60 * 1_000;
/** What a link is signed for: no cursor of a list is a link. */
const LINK = 'link to a file';

interface LinkContent {
  app: string;
  sourceAppId: string;
  file: string;
  until: number;
}

/** Resolves with a held submission that operators may read. */
export type FindHeld = (appId: ScopedApp['id'], id: string) => Promise<object | undefined>;

/** The types that browsers show without running anything in them. */
const INLINE: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp']);

/** What an event of the audit log says of the owner of a file: its record, if it has one. */
type FileOwner = { record?: string };

/** A file, and what owns it. */
interface OwnedFile {
  file: StoredFile;
  owner: FileOwner;
}

export type FileService = ReturnType<typeof createFileService>;

/** Reads the files that records and held submissions name (spec 4.14.2). */
export function createFileService(deps: {
  files: FileCollection;
  content: Pick<FileStores, 'of'>;
  findPlace: FindPlace;
  findHeld: FindHeld;
  load: Pick<OperatorLoad, 'step'>;
  cursors: Cursors;
  now?: () => number;
}) {
  const { files, content, findPlace, findHeld, load, cursors, now = Date.now } = deps;

  function readLink(token: string): LinkContent {
    try {
      const link = cursors.read<LinkContent>(token, LINK);
      if (link) return link;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
    }
    throw new NotFound('confirmationInvalid');
  }

  /** The record is the truth: one that is gone names nothing, whatever is left of its files. */
  async function isReadable(file: FileDocument): Promise<boolean> {
    const { appId, held } = file.metadata;
    const place = await findPlace(file, 'local');
    if (place === 'held') return (await findHeld(appId, String(held))) !== undefined;
    return place === 'record' || place === 'past';
  }

  /** @throws {NotFound} @throws {Conflict} while it waits for the scanner @throws {Gone} */
  async function find(appId: ScopedApp['id'], id: RecordId): Promise<FileDocument> {
    const file = await files.findOne({ _id: id, 'metadata.appId': appId });
    if (file?.metadata.state !== 'whole' || !(await isReadable(file))) throw new NotFound('fileNotFound');
    const { scan } = file.metadata;
    if (scan === 'waiting' || scan === 'failed') throw new Conflict('fileWaiting');
    if (scan) throw new Gone('malwareRemoved');
    return file;
  }

  /** Each read waits for its turn, so that a client that reads slowly holds none. */
  async function* read(file: FileDocument, range: ByteRange): AsyncGenerator<Buffer> {
    const pieces = content.of(file.metadata).read(file, range)[Symbol.asyncIterator]();
    let left = range.end - range.start + 1;
    try {
      for (;;) {
        const { value, done } = await load.step('page', file.metadata.appId, () => pieces.next());
        if (done) break;
        left -= value.length;
        yield value;
      }
    } catch (error) {
      throw error instanceof MissingContent ? new NotFound('fileNotFound') : error;
    } finally {
      await pieces.return?.();
    }
    if (left !== 0) throw new NotFound('fileNotFound');
  }

  async function open(appId: ScopedApp['id'], id: RecordId, isInline: boolean): Promise<OwnedFile> {
    const stored = await find(appId, id);
    const { type = '', sha256 = '' } = stored.metadata;
    const { mediaType } = FILE_TYPES[type as FileTypeName];
    const file = new StoredFile({
      name: stored.filename,
      mediaType: mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      bytes: stored.length,
      hash: sha256,
      isInline: isInline && INLINE.has(type),
      read: (range) => read(stored, range),
    });
    return { file, owner: ownerOf(stored) };
  }

  return {
    /** @throws {NotFound | Conflict | Gone} */
    open: (app: ScopedApp, id: string, isInline: boolean): Promise<OwnedFile> => open(app.id, parseId(id), isInline),

    /** A link that needs no session. @throws as `open` */
    async link(app: ScopedApp, id: string): Promise<{ path: string; expiresAt: Date; owner: FileOwner }> {
      const file = await find(app.id, parseId(id));
      const until = now() + LINK_MS;
      const { id: appId, sourceAppId } = app;
      const link: LinkContent = { app: appId.toHexString(), sourceAppId, file: file._id.toString(), until };
      return { path: `/files/${cursors.write(link, LINK)}`, expiresAt: new Date(until), owner: ownerOf(file) };
    },

    /** The file of a link, with its app. @throws as `open`; {Gone} also when its time is over */
    async openLink(token: string, isInline: boolean): Promise<OwnedFile & { app: ScopedApp; id: string }> {
      const { app, sourceAppId, file: id, until } = readLink(token);
      if (until <= now()) throw new Gone('confirmationExpired');
      const appId = new ObjectId(app);
      return { app: { id: appId, sourceAppId }, id, ...(await open(appId, parseId(id), isInline)) };
    },
  };
}

/** Of a held submission only the file counts: a record may never come of it. */
const ownerOf = ({ metadata: { record, held } }: FileDocument): FileOwner =>
  record && !held ? { record: record.toString() } : {};

function parseId(id: string): RecordId {
  const parsed = parseUuid(id);
  if (!parsed) throw new NotFound('fileNotFound');
  return parsed;
}
