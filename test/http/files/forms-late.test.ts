// @module-tag long

import type { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { untilDatabaseTime } from '../../support/clock/database-time.ts';
import type { TcpProxy } from '../../support/peers/proxy.ts';
import { sha256 } from '../../support/server/files.ts';
import { filePart, multipartOf, sendBody, TYPES } from '../../support/server/forms.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { startSlow } from '../../support/server/slow-server.ts';
import { FILE_FIELDS } from '../../support/server/uploaded.ts';
import { pdfOf } from '../../support/server/uploads.ts';

// The record write of a form with files is held in the network, and goes on when its time is over.

const HOUR_MS = 3_600_000;
const CONTENTS = [pdfOf(300_000, 1), pdfOf(2_000, 2)] as const;
const POLL = { timeout: 20_000 };

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let app: string;

beforeAll(async () => {
  main = await startServer({}, undefined, QUICK_JOBS);
  ({ proxy, slow } = await startSlow({}, main.database, QUICK_JOBS));
  await slow.services.jobs.stop();
});
beforeEach(async () => {
  app = (await main.admin.buildApp({ fields: FILE_FIELDS })).sourceAppId;
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

/** Posts a form with both files; resolves with its status. */
async function post(server: TestServer): Promise<number> {
  const files = CONTENTS.map((content, n) => filePart('cv', `${n}.pdf`, content));
  const form = multipartOf([...files, ['email', 'ada@x.org'], ['name', 'Late'], ['_key', 'k1']]);
  return (await sendBody(server.client, app, TYPES.multipart, form).set('Accept', 'application/json')).status;
}

const files = () => main.db.collection<FileDocument>('files.files');
async function filesOfApp(): Promise<FileDocument[]> {
  const { _id } = (await main.db.collection('apps').findOne({ sourceAppId: app })) ?? {};
  return files().find({ 'metadata.appId': _id }).toArray();
}
const chunksOf = (_id: { $in: UUID[] }) =>
  main.db.collection('files.chunks').countDocuments({ files_id: _id } as never);
const records = () => main.db.collection('users').find({ sourceAppId: app }).toArray();
const hashesOf = (record: Awaited<ReturnType<typeof records>>[number] | undefined): string[] =>
  (record?.data.cv ?? []).map((file: { sha256: string }) => file.sha256);

/** Sets the times of files back, as if more than an hour had passed. */
async function age(found: FileDocument[]): Promise<void> {
  const past = new Date(Date.now() - HOUR_MS);
  const times = { 'metadata.expiresAt': past, 'metadata.checkAt': past, 'metadata.claim.until': past };
  await files().updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, { $set: times });
}

const untilClaimsAreOver = (found: FileDocument[]): Promise<void> =>
  untilDatabaseTime(main, Number(found[0]?.metadata.claim?.until) + 1);

/** Waits until documents and chunks of files are gone. */
async function untilGone(found: FileDocument[]): Promise<void> {
  const _id = { $in: found.map((file) => file._id) };
  await expect.poll(async () => [await files().countDocuments({ _id }), await chunksOf(_id)], POLL).toEqual([0, 0]);
}

it('a form whose record is inserted too late stores nothing, and nothing of its files stays', async () => {
  const held = proxy.holdNext('into', 'users');
  const late = post(slow);
  const forward = await held;
  const found = await filesOfApp();
  expect(found.map(({ metadata }) => metadata.state)).toEqual(['whole', 'whole']);
  // The files are there: the time of the claim alone ends the write.
  await untilClaimsAreOver(found);
  await forward();
  expect(await late).toBe(503);
  expect(await records()).toEqual([]);
  await age(found);
  await untilGone(found);
});

it('a form that changes a record too late changes nothing', async () => {
  await main.client.submit(app, { email: 'ada@x.org', data: { name: 'Ada' } }).expect(200);
  const held = proxy.holdNext('update', 'users');
  const late = post(slow);
  const forward = await held;
  const found = await filesOfApp();
  await untilClaimsAreOver(found);
  await age(found);
  await untilGone(found);
  await forward();
  expect(await late).toBe(503);
  expect((await records()).map(({ data }) => data)).toEqual([{ name: 'Ada' }]);
});

it('a form that was sent again to another server is stored once, with the files of one of both', async () => {
  const held = proxy.holdNext('into', 'users');
  const late = post(slow);
  const forward = await held;
  const first = await filesOfApp();
  expect(await post(main)).toBe(200);
  await forward();
  expect(await late).toBe(200);
  const [record, ...others] = await records();
  expect(others).toEqual([]);
  expect(hashesOf(record)).toEqual(CONTENTS.map(sha256));
  const all = await filesOfApp();
  expect(all).toHaveLength(4);
  await age(all);
  await untilGone(first);
  const kept = (await filesOfApp()).map(({ _id }) => String(_id));
  expect(kept.sort()).toEqual(record?.data.cv.map(({ id }: { id: string }) => id).sort());
});
