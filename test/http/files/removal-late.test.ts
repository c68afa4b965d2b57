// @module-tag long

import type { Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilDatabaseTime } from '../../support/clock/database-time.ts';
import { holdJob } from '../../support/database/held-job.ts';
import { type S3Server, startS3 } from '../../support/peers/s3.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { startSlow } from '../../support/server/slow-server.ts';
import { age } from '../../support/server/uploaded.ts';
import { CV, pdfOf, upload } from '../../support/server/uploads.ts';

// A server is suspended after it decided to remove content: its statement is held in the network.
// Meanwhile another one removes everything, and an operator restores it (invariant 8).

const POLL = { timeout: 20_000 };
const COLLECTIONS = ['users', 'files.chunks', 'files.files'];
/** Longer than a removal relies on what it read. */
const TOO_LATE_MS = 11_000;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
}, 300_000);
afterAll(() => s3.close());

describe.each([
  ['the database', () => ({})],
  ['a bucket', () => ({ FILES_URL: s3.url('late') })],
])('a file in %s that is restored while a server is suspended', (_store, env) => {
  let main: TestServer;
  let app: string;
  /** The id of the file, and the token that names it. */
  let file: { id: string; token: string };
  beforeAll(async () => {
    main = await startServer(env(), undefined, QUICK_JOBS);
  });
  beforeEach(async () => {
    app = (await main.admin.buildApp({ fields: [CV] })).sourceAppId;
    const { body } = await upload(main.client.url, app, pdfOf(300_000));
    const [{ _id } = {}] = await main.db.collection('files.files').find().sort({ _id: -1 }).toArray();
    file = { id: String(_id), token: body.token };
  });
  afterAll(() => main.close());

  /** The chunks and the objects of the file. */
  async function content(): Promise<string[]> {
    const chunks = await main.db.collection('files.chunks').find().toArray();
    const ofFile = chunks.filter(({ files_id }) => String(files_id) === file.id).map(({ n }) => `chunk ${n}`);
    return [...ofFile, ...(await s3.keys()).filter((key) => key.endsWith(file.id))];
  }

  /** Resolves with the function that restores what is stored now. */
  async function backUp(): Promise<() => Promise<void>> {
    const read = (name: string): Promise<Document[]> => main.db.collection(name).find().toArray();
    const documents = await Promise.all(COLLECTIONS.map(read));
    const objects = await Promise.all((await s3.keys()).map(async (key) => ({ key, content: await s3.read(key) })));
    return async () => {
      for (const [index, name] of COLLECTIONS.entries()) {
        for (const one of documents[index] ?? []) {
          await main.db.collection(name).replaceOne({ _id: one._id }, one, { upsert: true });
        }
      }
      for (const one of objects) await s3.write(one.key, one.content);
    };
  }

  const isGone = async (): Promise<boolean> => {
    const documents = await main.db.collection('files.files').find().toArray();
    return !documents.some(({ _id }) => String(_id) === file.id) && (await content()).length === 0;
  };

  const untilTooLate = (): Promise<void> => untilDatabaseTime(main, Date.now() + TOO_LATE_MS);

  it('keeps its content after the erasure of its record', async () => {
    const given = { email: 'ada@x.org', data: { cv: [file.token] } };
    const { id } = (await main.client.submit(app, given).expect(200)).body;
    const { proxy, slow } = await startSlow(env(), main.database, QUICK_JOBS);
    await slow.services.jobs.stop();
    // The jobs would also remove the content, and might be first.
    const letJobsRun = await holdJob(main, 'events', 'files');
    const [before, restore] = [await content(), await backUp()];
    const held = proxy.holdNext('delete', 'files.chunks');
    const erasing = slow.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).then(({ status }) => status);
    const forward = await held;
    await letJobsRun();
    const gone = async () => (await isGone()) && (await main.db.collection('erasures').countDocuments()) === 0;
    await expect.poll(gone, POLL).toBe(true);
    await restore();
    await untilTooLate();
    await forward();
    expect(await erasing).toBe(503);
    expect(await content()).toEqual(before);
    expect(await isGone()).toBe(false);
    await slow.close();
  });

  it('keeps its content after the time of its token', async () => {
    await main.services.jobs.stop();
    const { proxy, slow } = await startSlow(env(), main.database, QUICK_JOBS);
    const [before, restore] = [await content(), await backUp()];
    const held = proxy.holdNext('delete', 'files.chunks');
    await age(main.db, { id: file.id }, 3_600_000);
    const forward = await held;
    await restore();
    await untilTooLate();
    await forward();
    await slow.close();
    expect(await content()).toEqual(before);
    expect(await isGone()).toBe(false);
  });
});
