import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, UUID } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import type { FileChunk, FileDocument } from '../../src/records/files/files.model.ts';
import { rounds } from '../support/rounds.ts';
import { DataDir } from './data-dir.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const ROUNDS = rounds(4, 1);
const WRITERS = 4;
const APP = 'forms';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** What a writer was answered. `erased`: its erasure was answered too. */
interface Acknowledged {
  email: string;
  record: string;
  hash: string;
  erased?: true;
}

/** Sends a request until it is answered; undefined: the connection broke, or 503. */
async function attempt(
  url: string,
  init: RequestInit,
): Promise<{ status: number; body: Record<string, string> } | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
    const body = (await response.json()) as Record<string, string>;
    return response.status === 503 ? undefined : { status: response.status, body };
  } catch {
    return undefined;
  }
}

/** Uploads files, submits and erases until it is told to stop. */
function startWriter(service: Service, name: string, cookie: () => Promise<string>, ledger: Acknowledged[]) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const unexpected: unknown[] = [];

  async function upload(content: Buffer): Promise<string | undefined> {
    const url = `${service.url}/v1/forms/${APP}/files?field=cv&name=a.txt`;
    const answer = await attempt(url, { method: 'POST', body: new Uint8Array(content) });
    if (answer && answer.status !== 201) unexpected.push(answer);
    return answer?.body.token;
  }

  async function submit(email: string, token: string): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', 'x-app-id': APP, 'idempotency-key': email };
    const body = JSON.stringify({ email, data: { cv: [token] } });
    const answer = await attempt(`${service.url}/v1/users`, { method: 'POST', headers, body });
    if (answer && answer.status !== 200) unexpected.push(answer);
    return answer?.body.id;
  }

  async function run(): Promise<void> {
    for (let n = 0; !signal.aborted; n += 1) {
      const email = `${name}.${n}@x.org`;
      // One chunk, or three.
      const content = Buffer.from(randomBytes(n % 3 === 0 ? 300_000 : 2_000).toString('base64'));
      let token: string | undefined;
      while (token === undefined && !signal.aborted) token = (await upload(content)) ?? (await sleep(100));
      let record: string | undefined;
      while (token && record === undefined && !signal.aborted)
        record = (await submit(email, token)) ?? (await sleep(100));
      if (!record) return;
      const entry: Acknowledged = { email, record, hash: sha256(content) };
      ledger.push(entry);
      if (n % 4 !== 3) continue;
      const url = `${service.url}/auth/users/${record}?sourceAppId=${APP}`;
      for (let answer: Awaited<ReturnType<typeof attempt>>; !signal.aborted && !answer; ) {
        const headers = { cookie: await cookie().catch(() => '') };
        answer = await attempt(url, { method: 'DELETE', headers });
        // 404: an attempt without an answer erased it.
        if (answer && [200, 404].includes(answer.status)) entry.erased = true;
        else if (answer && answer.status !== 401) unexpected.push(answer);
        if (!entry.erased) answer = await sleep(100);
      }
      // An erasure that was asked for, and not answered: either is right.
      if (!entry.erased) ledger.splice(ledger.indexOf(entry), 1);
    }
  }

  const running = run();
  return {
    unexpected,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** The hash of what the collections hold of a file. */
async function storedHash(db: Db, id: UUID): Promise<string> {
  const chunks = await db.collection<FileChunk>('files.chunks').find({ files_id: id }).sort({ n: 1 }).toArray();
  return sha256(Buffer.concat(chunks.map(({ data }) => Buffer.from(data.value()))));
}

it('keeps every acknowledged file and nothing of erased ones, through kill -9 of server and mongod', async () => {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  const service = await (await Service.create({ DATA_DIR: dataDir.path })).start();
  cleanups.push(() => service.stop());
  await service.createApp(APP);
  const admin = await service.admin();
  const cv = { key: 'cv', label: 'CV', kind: 'file' as const, required: true, types: ['txt' as const] };
  await admin.putSchema(APP, { fields: [cv] }).expect(200);
  const password = 'the-admin-password-of-the-faults';
  const logIn = await fetch(`${service.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sourceAppId: 'admin', password }),
  });
  const cookie = logIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ledger: Acknowledged[] = [];
  const writers = Array.from({ length: WRITERS }, (_, n) => startWriter(service, `w${n}`, async () => cookie, ledger));
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(3_000);
    await service.kill();
    await service.start();
    await sleep(3_000);
    process.kill(await dataDir.mongodPid(), 'SIGKILL');
    logProgress(`${ledger.length} files are acknowledged`);
  }
  await sleep(5_000);
  await Promise.all(writers.map((writer) => writer.stop()));
  expect(writers.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  const erased = ledger.filter((one) => one.erased);
  logProgress(`${ledger.length} files are acknowledged, ${erased.length} erased`);
  expect(erased.length).toBeGreaterThan(0);

  await inspect(await dataDir.uri(), async (db) => {
    const files = db.collection<FileDocument>('files.files');
    for (const { email, record, hash, erased: isErased } of ledger) {
      const stored = await db.collection('users').findOne({ email });
      if (isErased) {
        expect(stored).toBeNull();
        expect(await files.countDocuments({ 'metadata.record': new UUID(record) })).toBe(0);
        expect(await files.countDocuments({ 'metadata.sha256': hash })).toBe(0);
      } else {
        expect(String(stored?._id)).toBe(record);
        const [value] = stored?.data.cv ?? [];
        expect(value.sha256).toBe(hash);
        expect(await storedHash(db, new UUID(value.id))).toBe(hash);
      }
    }
  });
  // As if hours had passed: only what a record names is left, in both collections.
  await inspect(await dataDir.uri(), async (db) => {
    const files = db.collection<FileDocument>('files.files');
    const long = new Date(Date.now() - 3_600_000);
    const past = { 'metadata.checkAt': long, 'metadata.expiresAt': long };
    await files.updateMany(
      { 'metadata.claim': { $exists: true } },
      { $set: { ...past, 'metadata.claim.until': long } },
    );
    await files.updateMany(
      { 'metadata.claim': { $exists: false }, 'metadata.checkAt': { $exists: true } },
      { $set: past },
    );
    const named = new Set(
      (
        await db
          .collection('users')
          .find({ 'data.cv': { $exists: true } })
          .toArray()
      ).flatMap(({ data }) => data.cv.map(({ id }: { id: string }) => id)),
    );
    const rest = async () => {
      const documents = (await files.find().toArray()).map(({ _id }) => String(_id));
      const contents = (await db.collection('files.chunks').distinct('files_id')).map(String);
      return new Set([...documents, ...contents].filter((id) => !named.has(id))).size;
    };
    await expect.poll(rest, { timeout: 60_000, interval: 500 }).toBe(0);
  });
});
