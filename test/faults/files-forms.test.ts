// @module-tag fault

import { type Db, type Document, UUID } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import type { FileChunk, FileDocument } from '../../src/features/files/files.model.ts';
import { ended, open } from '../security/raw.ts';
import { startProxy, type TcpProxy } from '../support/peers/proxy.ts';
import { sha256 } from '../support/server/files.ts';
import { filePart, multipartOf, TYPES } from '../support/server/forms.ts';
import { CV, pdfOf } from '../support/server/uploads.ts';
import { inspect, startStandalone } from './mongod.ts';
import { Service } from './service.ts';

const HOUR_MS = 3_600_000;
const APP = 'forms';
const POLL = { timeout: 60_000, interval: 200 };
const CONTENTS = [pdfOf(600_000, 1), pdfOf(700_000, 2)] as const;
const FORM = multipartOf([
  ...CONTENTS.map((content, n) => filePart('cv', `${n}.pdf`, content)),
  ['email', 'ada@x.org'],
  ['_key', 'k1'],
]);
/** Within the second file. */
const MIDDLE = CONTENTS[0].length + 400_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Sends the first bytes of a form; resolves with the status when the connection has ended. */
async function post({ url }: Service, bytes = FORM.length): Promise<number> {
  const socket = open(url);
  const head = [`POST /v1/forms/${APP} HTTP/1.1`, 'Host: x', 'Connection: close', 'Accept: application/json'];
  const own = [`Content-Type: ${TYPES.multipart}`, `Content-Length: ${FORM.length}`];
  socket.write(`${[...head, ...own].join('\r\n')}\r\n\r\n`);
  socket.write(FORM.subarray(0, bytes));
  return (await ended(socket)).status;
}

const files = (db: Db) => db.collection<FileDocument>('files.files');
const statesIn = async (db: Db): Promise<string[]> =>
  (await files(db).find().toArray()).map(({ metadata }) => metadata.state).sort();

/** What is stored of the files of records, and what is stored besides. */
async function storedIn(db: Db): Promise<{ hashes: string[][]; besides: number }> {
  const records = await db.collection('users').find({ sourceAppId: APP }).toArray();
  const named = records.map(({ data }) => (data.cv ?? []).map(({ id }: Document) => id as string));
  const hashes: string[][] = [];
  for (const ids of named) {
    const contents: string[] = [];
    for (const id of ids) {
      const chunks = await db
        .collection<FileChunk>('files.chunks')
        .find({ files_id: new UUID(id) })
        .sort({ n: 1 });
      contents.push(sha256(Buffer.concat((await chunks.toArray()).map(({ data }) => Buffer.from(data.value())))));
    }
    hashes.push(contents);
  }
  const documents = (await files(db).find().toArray()).map(({ _id }) => String(_id));
  const contents = (await db.collection('files.chunks').distinct('files_id')).map(String);
  const besides = new Set([...documents, ...contents].filter((id) => !named.flat().includes(id)));
  return { hashes, besides: besides.size };
}

interface Setup {
  uri: string;
  proxy: TcpProxy;
  killed: Service;
}

const STEPS: [string, (setup: Setup) => Promise<unknown>][] = [
  [
    'while its second file arrives',
    async ({ uri, killed }) => {
      const sent = post(killed, MIDDLE);
      await expect.poll(() => inspect(uri, statesIn), POLL).toEqual(['arriving', 'whole']);
      await killed.kill();
      expect(await sent).toBe(0);
    },
  ],
  [
    'before MongoDB gets the write of its record',
    async ({ proxy, killed }) => {
      const held = proxy.holdNext('into', 'users');
      const sent = post(killed);
      const forward = await held;
      await killed.kill();
      expect(await sent).toBe(0);
      // The network delivers it later.
      await forward();
    },
  ],
  [
    'after MongoDB got it',
    async ({ uri, proxy, killed }) => {
      const held = proxy.holdNext('into', 'users');
      const sent = post(killed);
      const forward = await held;
      // The server learns nothing of what it stored.
      proxy.stall();
      void forward();
      const count = (db: Db) => db.collection('users').countDocuments({ sourceAppId: APP });
      await expect.poll(() => inspect(uri, count), POLL).toBe(1);
      await killed.kill();
      expect(await sent).toBe(0);
    },
  ],
];

it.each(STEPS)(
  'a form with two files whose server is killed %s is stored whole by its repeat, and nothing besides',
  async (_, step) => {
    const database = await startStandalone();
    cleanups.push(() => database.stop());
    const { uri } = database;
    const proxy = await startProxy(new URL(uri));
    cleanups.push(() => proxy.close());
    const proxied = new URL(uri);
    proxied.port = String(proxy.port);
    const killed = await (await Service.create({ MONGODB_URI: proxied.href })).start();
    cleanups.push(() => killed.stop());
    const other = await (await Service.create({ MONGODB_URI: uri })).start();
    cleanups.push(() => other.stop());
    const admin = await other.admin();
    await admin.post('/auth/apps', { sourceAppId: APP }).expect(200);
    await admin.putSchema(APP, { fields: [CV] }).expect(200);

    await step({ uri, proxy, killed });
    await expect.poll(() => post(other), POLL).toBe(200);
    expect(await post(other)).toBe(200);
    // As if an hour had passed.
    await inspect(uri, async (db) => {
      const past = new Date(Date.now() - HOUR_MS);
      const times = { 'metadata.expiresAt': past, 'metadata.checkAt': past, 'metadata.claim.until': past };
      await files(db).updateMany({ 'metadata.checkAt': { $exists: true } }, { $set: times });
    });
    await expect.poll(() => inspect(uri, storedIn), POLL).toEqual({ hashes: [CONTENTS.map(sha256)], besides: 0 });
  },
);
