import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, UUID } from 'mongodb';
import type { FileChunk, FileDocument } from '../../src/features/files/files.model.ts';

/** A file that a submission named, and was acknowledged. */
interface Acknowledged {
  record: string;
  /** Of the value that the record has. */
  id?: string;
  hash: string;
  erased?: true;
}

/** Of files of one chunk, and of one of three. */
const BYTES = [2_000, 2_000, 2_000, 600_000];
const PAUSE_MS = 200;
const PATIENCE_MS = 10_000;

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Uploads, submits, reads and erases files of an app until it is told to stop. */
interface FileLoad {
  counts: { stored: number; read: number; erased: number };
  /** Answers that no fault explains. */
  unexpected: unknown[];
  /** Resolves when nothing is in flight. */
  stop(): Promise<void>;
  /**
   * Compares the collections with what was acknowledged. Resolves with what is wrong: files that
   * are lost or differ, and content of erased ones.
   */
  audit(db: Db): Promise<string[]>;
  /**
   * Resolves with the number of files, and of contents without one, that no record names, after
   * their times were set back by an hour, as often as it is called.
   */
  countUnnamed(db: Db): Promise<number>;
}

/**
 * @param options.field of the app, a field of files of the type `txt`
 * @param options.pauseMs of each writer, after a file
 * @param options.cookie of a session that may read and erase the records of the app
 */
export function startFileLoad(options: {
  urls: readonly string[];
  sourceAppId: string;
  field: string;
  writers: number;
  cookie: string;
  pauseMs?: number;
}): FileLoad {
  const { urls, sourceAppId, field, writers, cookie, pauseMs = 0 } = options;
  const ledger: Acknowledged[] = [];
  const unexpected: unknown[] = [];
  const counts = { stored: 0, read: 0, erased: 0 };
  const ending = new AbortController();
  const { signal } = ending;
  let turn = 0;

  /** Sends a request to the next server until it is answered; undefined: it has to end. */
  async function send<Body>(
    path: string,
    init: RequestInit,
    expected: readonly number[],
    read: (response: Response) => Promise<Body>,
  ): Promise<{ status: number; body: Body } | undefined> {
    while (!signal.aborted) {
      turn += 1;
      try {
        const response = await fetch(`${urls[turn % urls.length]}${path}`, {
          ...init,
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        const body = await read(response);
        const { status } = response;
        if (expected.includes(status)) return { status, body };
        if (status !== 503 && status !== 401) unexpected.push({ path, status, body });
      } catch {
        // The connection broke, or no answer came.
      }
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  const json = async (response: Response) => (await response.json()) as Record<string, string>;
  const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

  async function write(name: string): Promise<void> {
    for (let n = 0; !signal.aborted; n += 1) {
      await sleep(pauseMs);
      const content = Buffer.from(randomBytes((BYTES[n % BYTES.length] as number) / 2).toString('hex'));
      const path = `/v1/forms/${sourceAppId}/files?field=${field}&name=a.txt`;
      const upload = await send(path, { method: 'POST', body: new Uint8Array(content) }, [201], json);
      if (!upload) return;
      const email = `${name}.${n}@example.org`;
      const headers = { 'content-type': 'application/json', 'x-app-id': sourceAppId, 'idempotency-key': email };
      const body = JSON.stringify({ email, data: { [field]: [upload.body.token] } });
      const stored = await send('/v1/users', { method: 'POST', headers, body }, [200], json);
      if (!stored) return;
      const entry: Acknowledged = { record: String(stored.body.id), hash: sha256(content) };
      ledger.push(entry);
      counts.stored += 1;
      const record = `/auth/users/${entry.record}?sourceAppId=${sourceAppId}`;
      const found = await send(record, { headers: { cookie } }, [200], async (response) => {
        const { data } = (await response.json()) as { data?: Record<string, { id: string }[]> };
        return data?.[field]?.[0]?.id;
      });
      if (!found?.body) continue;
      entry.id = found.body;
      const file = `/auth/files/${found.body}?sourceAppId=${sourceAppId}`;
      const read = await send(file, { headers: { cookie } }, [200], bytes);
      if (read && sha256(read.body) !== entry.hash) unexpected.push({ file, is: 'not what was sent' });
      counts.read += 1;
      if (n % 3 !== 2) continue;
      // Of an erasure that is asked for and not answered, either is right.
      ledger.splice(ledger.indexOf(entry), 1);
      // 404: an attempt without an answer erased it.
      if (!(await send(record, { method: 'DELETE', headers: { cookie } }, [200, 404], bytes))) continue;
      ledger.push({ ...entry, erased: true });
      counts.erased += 1;
    }
  }

  const running = Promise.all(Array.from({ length: writers }, (_, n) => write(`files-${n}`)));

  return {
    counts,
    unexpected,
    async stop() {
      ending.abort();
      await running;
    },
    async audit(db) {
      const wrong: string[] = [];
      for (const { record, id, hash, erased } of ledger) {
        const stored = await db.collection<{ _id: UUID }>('users').findOne({ _id: new UUID(record) });
        if (erased) {
          if (stored) wrong.push(`${record} was erased`);
          if (id !== undefined && (await db.collection<FileChunk>('files.chunks').findOne({ files_id: new UUID(id) })))
            wrong.push(`${id} of an erased record has content`);
          continue;
        }
        const { data } = (stored ?? {}) as { data?: Record<string, { id: string; sha256: string }[]> };
        const value = data?.[field]?.[0];
        if (!value) wrong.push(`${record} has no file`);
        else if ((await storedHash(db, value.id)) !== hash) wrong.push(`${value.id} is not what was sent`);
      }
      return wrong;
    },
    async countUnnamed(db) {
      const files = db.collection<FileDocument>('files.files');
      const long = new Date(Date.now() - 3_600_000);
      const past = { 'metadata.checkAt': long, 'metadata.expiresAt': long };
      const waiting = { 'metadata.checkAt': { $exists: true } };
      const claimed = { 'metadata.claim': { $exists: true } };
      await files.updateMany({ ...waiting, ...claimed }, { $set: { ...past, 'metadata.claim.until': long } });
      await files.updateMany({ ...waiting, 'metadata.claim': { $exists: false } }, { $set: past });
      const users = db.collection<{ data: Record<string, { id: string }[]> }>('users');
      const records = await users.find({ [`data.${field}`]: { $exists: true } }).toArray();
      const named = new Set(records.flatMap(({ data }) => data[field]?.map(({ id }) => id) ?? []));
      const documents = (await files.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => String(_id));
      const contents = (await db.collection('files.chunks').distinct('files_id')).map(String);
      return new Set([...documents, ...contents].filter((id) => !named.has(id))).size;
    },
  };
}

/** The hash of what the collections hold of a file. */
async function storedHash(db: Db, id: string): Promise<string> {
  const chunks = db
    .collection<FileChunk>('files.chunks')
    .find({ files_id: new UUID(id) })
    .sort({ n: 1 });
  return sha256(Buffer.concat((await chunks.toArray()).map(({ data }) => Buffer.from(data.value()))));
}
