// @module-tag long

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileChunk, FileDocument } from '../../../src/features/files/files.model.ts';
import type { TcpProxy } from '../../support/peers/proxy.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { startSlow } from '../../support/server/slow-server.ts';
import { CV, pdfOf, upload, uploadPart } from '../../support/server/uploads.ts';

let server: TestServer;
/** Of the same database, behind the proxy. */
let slow: TestServer;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: '1' });
  ({ proxy, slow } = await startSlow({ TRUST_PROXY: '1' }, server.database));
});
afterAll(async () => {
  await slow.close();
  await server.close();
});

const appWith = async (): Promise<string> => (await server.admin.buildApp({ fields: [CV] })).sourceAppId;
const files = () => server.db.collection<FileDocument>('files.files');
const chunks = () => server.db.collection<FileChunk>('files.chunks');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function onlyFileOf(sourceAppId: string): Promise<FileDocument> {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  const found = await files().find({ 'metadata.appId': app?._id }).toArray();
  expect(found).toHaveLength(1);
  return found[0] as FileDocument;
}

async function contentOf({ _id }: FileDocument): Promise<Buffer> {
  const found = await chunks().find({ files_id: _id }).sort({ n: 1 }).toArray();
  return Buffer.concat(found.map(({ data }) => Buffer.from(data.buffer)));
}

/** The writer of a file is heard of no more. */
const endWriter = ({ _id }: FileDocument) =>
  files().updateOne({ _id }, { $set: { 'metadata.writer.until': new Date(Date.now() - 60_000) } });

describe('a request that is late', () => {
  it('replaces no chunk after another one took the file over', async () => {
    const app = await appWith();
    const file = pdfOf(5_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const { token } = body;
    const held = proxy.holdAll('aggregate', 'files.files', [Buffer.from('$merge')]);
    const other = Buffer.alloc(5_000, 'x');
    const late = uploadPart(slow.client.url, app, other, { first: 1_000, end: 3_000, token });
    await expect.poll(() => held.seen.length).toBe(1);
    const stored = await onlyFileOf(app);
    // Meanwhile it is that of the first one.
    expect(await uploadPart(server.client.url, app, file, { first: 1_000, end: 5_000, token })).toMatchObject({
      status: 409,
      body: { code: 'fileBeingSent' },
    });
    await endWriter(stored);
    const taken = await uploadPart(server.client.url, app, file, { first: 1_000, end: 2_000, token });
    expect(taken).toMatchObject({ status: 202, body: { received: 2_000 } });
    held.release();
    expect(await late).toMatchObject({ status: 409, body: { code: 'fileBeingSent' } });
    expect((await contentOf(stored)).equals(file.subarray(0, 2_000))).toBe(true);
    const last = await uploadPart(server.client.url, app, file, { first: 2_000, end: 5_000, token });
    expect(last).toMatchObject({ status: 201, body: { sha256: sha256(file) } });
  });

  it.each([
    ['while another one writes', { id: new UUID(), until: new Date(Date.now() + 3_600_000) }],
    ['after its time, before another one may write', { until: new Date(Date.now() - 60_000) }],
  ])('stores nothing %s', async (_, change) => {
    const app = await appWith();
    const file = pdfOf(5_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const held = proxy.holdAll('aggregate', 'files.files', [Buffer.from('$merge')]);
    const late = uploadPart(slow.client.url, app, Buffer.alloc(5_000, 'x'), {
      first: 1_000,
      end: 3_000,
      token: body.token,
    });
    await expect.poll(() => held.seen.length).toBe(1);
    const { _id, metadata } = await onlyFileOf(app);
    const writer = { ...metadata.writer, ...change };
    await files().updateOne({ _id }, { $set: { 'metadata.writer': writer } });
    held.release();
    expect(await late).toMatchObject({ status: 409 });
    const stored = await onlyFileOf(app);
    if ('id' in change) expect(stored.metadata.writer).toEqual(writer);
    expect(stored.length).toBe(1_000);
    expect((await contentOf(stored)).equals(file.subarray(0, 1_000))).toBe(true);
  });

  it('makes no file whole that another one finished, and none that was removed', async () => {
    const app = await appWith();
    const file = pdfOf(5_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const { token } = body;
    const held = proxy.holdAll('findAndModify', 'files.files', [Buffer.from('whole')]);
    const late = uploadPart(slow.client.url, app, file, { first: 1_000, end: 5_000, token });
    await expect.poll(() => held.seen.length).toBe(1);
    const stored = await onlyFileOf(app);
    await files().updateOne({ _id: stored._id }, { $set: { 'metadata.state': 'removing' } });
    held.release();
    expect(await late).toMatchObject({ status: 409 });
    expect((await onlyFileOf(app)).metadata).toMatchObject({ state: 'removing' });
    expect((await onlyFileOf(app)).metadata.sha256).toBeUndefined();
  });

  it('is answered by its repeat, which finishes what the first one did not', async () => {
    const app = await appWith();
    const file = pdfOf(5_000);
    const held = proxy.holdAll('findAndModify', 'files.files', [Buffer.from('whole')]);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const part = { first: 1_000, end: 5_000, token: body.token };
    const late = uploadPart(slow.client.url, app, file, part);
    await expect.poll(() => held.seen.length).toBe(1);
    await endWriter(await onlyFileOf(app));
    const again = await uploadPart(server.client.url, app, file, part);
    expect(again).toMatchObject({ status: 201, body: { sha256: sha256(file) } });
    held.release();
    expect(await late).toMatchObject({ status: 409 });
    expect((await onlyFileOf(app)).metadata.state).toBe('whole');
  });
});

describe('two requests for one part', () => {
  it('store it once, on two servers at the same time', async () => {
    const app = await appWith();
    const file = pdfOf(600_000);
    const first = await uploadPart(server.client.url, app, file, { first: 0, end: 100_000 });
    const { token } = first.body;
    for (let at = 100_000; at < 600_000; at += 100_000) {
      const part = { first: at, end: at + 100_000, token };
      const both = await Promise.all([server, slow].map(({ client }) => uploadPart(client.url, app, file, part)));
      const statuses = both.map(({ status }) => status).sort();
      const isLast = at === 500_000;
      // A last part that was repeated has the same answer.
      if (!isLast || statuses[1] !== 201) expect([409, 416]).toContain(statuses[1]);
      expect(statuses[0]).toBe(isLast ? 201 : 202);
    }
    const stored = await onlyFileOf(app);
    expect(stored.metadata).toMatchObject({ state: 'whole', sha256: sha256(file) });
    expect((await contentOf(stored)).equals(file)).toBe(true);
  });
});

/** Begins a request of a file, of which a part of the body is sent. */
async function begin(app: string, query: string, headers: string, body: Buffer, to = server): Promise<Socket> {
  const { hostname, port } = new URL(to.client.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`POST /v1/forms/${app}/files?field=cv&name=cv.pdf${query} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
  socket.write(body);
  return socket;
}

describe('a connection that ends', () => {
  it('keeps what arrived of a later part', async () => {
    const app = await appWith();
    const file = pdfOf(900_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const { token } = body;
    const range = 'Content-Range: bytes 1000-899999/900000\r\nContent-Length: 899000';
    const socket = await begin(app, `&token=${token}`, range, file.subarray(1_000, 400_000));
    await expect.poll(async () => (await onlyFileOf(app)).length).toBe(255 * 1_024);
    socket.destroy();
    await expect.poll(async () => (await onlyFileOf(app)).metadata.writer).toBeUndefined();
    const { status, body: refused } = await uploadPart(server.client.url, app, file, {
      first: 1_000,
      end: 2_000,
      token,
    });
    expect(status).toBe(416);
    expect(refused.received).toBe(400_000);
    const rest = await uploadPart(slow.client.url, app, file, { first: refused.received, end: 900_000, token });
    expect(rest).toMatchObject({ status: 201, body: { sha256: sha256(file) } });
  });

  it('is 409 for the next part while what arrived is being stored, not 416 with a number that grows', async () => {
    const app = await appWith();
    const file = pdfOf(900_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const { token } = body;
    const held = proxy.holdAll('aggregate', 'files.files', [Buffer.from('$merge')]);
    const range = 'Content-Range: bytes 1000-899999/900000\r\nContent-Length: 899000';
    const socket = await begin(app, `&token=${token}`, range, file.subarray(1_000, 3_000), slow);
    await expect.poll(async () => (await onlyFileOf(app)).metadata.writer).toBeDefined();
    // Bytes that a server has not read when the connection ends are lost: this answer comes later.
    const meanwhile = await uploadPart(slow.client.url, app, file, { first: 1_000, end: 2_000, token });
    expect(meanwhile).toMatchObject({ status: 409, body: { code: 'fileBeingSent' } });
    socket.destroy();
    await expect.poll(() => held.seen.length).toBe(1);
    for (const first of [500, 1_000, 2_000]) {
      const answer = await uploadPart(server.client.url, app, file, { first, end: 2_500, token });
      expect(answer).toMatchObject({ status: 409, body: { code: 'fileBeingSent' } });
    }
    held.release();
    await expect.poll(async () => (await onlyFileOf(app)).metadata.writer).toBeUndefined();
    const after = await uploadPart(server.client.url, app, file, { first: 1_000, end: 2_000, token });
    expect(after).toMatchObject({ status: 416, body: { received: 3_000 } });
  });

  it.each([
    ['whole', ''],
    ['first part', 'Content-Range: bytes 0-899999/900000\r\n'],
  ])('leaves nothing of a %s, of which nobody knows the token', async (_, range) => {
    const app = await appWith();
    const socket = await begin(app, '', `${range}Content-Length: 900000`, pdfOf(900_000).subarray(0, 600_000));
    await expect.poll(async () => (await onlyFileOf(app).catch(() => undefined))?.length).toBe(2 * 255 * 1_024);
    socket.destroy();
    await expect.poll(async () => (await onlyFileOf(app)).metadata.state).toBe('removing');
    const { _id, metadata } = await onlyFileOf(app);
    expect(metadata).toMatchObject({ charged: 0 });
    expect(metadata.network).toBeUndefined();
    await expect.poll(() => chunks().countDocuments({ files_id: _id })).toBe(0);
  });
});

/** The n-th of several networks. */
const from = (n: number) => ({ headers: { 'x-forwarded-for': `192.0.2.${n}` } });

describe('the limit of an app', () => {
  /** An app whose files may be 2 MB, one of them 1 MB, on two servers. */
  async function prepare() {
    const limits = { FILE_LIMIT: '1000000', FILES_APP_LIMIT: '2000000', TRUST_PROXY: '1' };
    const servers = [
      await startServer(limits, server.db.databaseName),
      await startServer(limits, server.db.databaseName),
    ] as const;
    const app = await appWith();
    const { _id } = (await server.db.collection('apps').findOne({ sourceAppId: app })) ?? {};
    const charged = async (): Promise<number> =>
      (await files().find({ 'metadata.appId': _id }).toArray()).reduce((sum, one) => sum + one.metadata.charged, 0);
    const close = () => Promise.all(servers.map((one) => one.close()));
    return { urls: servers.map(({ client }) => client.url) as [string, string], app, charged, close, appId: _id };
  }

  it('holds for the parts of files that began when there was room, on two servers', async () => {
    const { urls, app, charged, close, appId } = await prepare();
    try {
      const file = pdfOf(900_000);
      const tokens: string[] = [];
      for (let n = 0; n < 4; n += 1) {
        const begun = await uploadPart(urls[(n % 2) as 0 | 1], app, file, { first: 0, end: 10, ...from(n) });
        expect(begun.status).toBe(202);
        tokens.push(begun.body.token);
      }
      const ends = await Promise.all(
        tokens.map((token, n) =>
          uploadPart(urls[(n % 2) as 0 | 1], app, file, { first: 10, end: 900_000, token, ...from(n) }),
        ),
      );
      const statuses = ends.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(2);
      expect(statuses.filter((status) => status !== 201 && status !== 413)).toEqual([]);
      expect(await charged()).toBe(900_000 * statuses.filter((status) => status === 201).length);
      // Nothing of those that were refused stays.
      const whole = await files().find({ 'metadata.appId': appId, 'metadata.state': 'whole' }).toArray();
      const left = await files().find({ 'metadata.appId': appId, 'metadata.state': 'removing' }).toArray();
      expect(whole.length + left.length).toBe(4);
      expect(await chunks().countDocuments({ files_id: { $in: left.map(({ _id }) => _id) } })).toBe(0);
    } finally {
      await close();
    }
  });

  it('counts no more than twice what has arrived, and after a cut what has', async () => {
    const { app, charged, close } = await prepare();
    try {
      const file = pdfOf(900_000);
      const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
      const range = 'Content-Range: bytes 1000-899999/900000\r\nContent-Length: 899000';
      const socket = await begin(app, `&token=${body.token}`, range, file.subarray(1_000, 600_000));
      await expect.poll(async () => (await onlyFileOf(app)).length).toBe(2 * 255 * 1_024);
      expect(await charged()).toBeLessThanOrEqual(4 * 255 * 1_024);
      socket.destroy();
      await expect.poll(async () => (await onlyFileOf(app)).metadata.writer).toBeUndefined();
      expect(await charged()).toBe(600_000);
    } finally {
      await close();
    }
  });

  it('is not passed by a request that counts late, after another one took the file over', async () => {
    const app = await appWith();
    const file = pdfOf(900_000);
    const { body } = await uploadPart(server.client.url, app, file, { first: 0, end: 1_000 });
    const held = proxy.holdAll('update', 'files.files', [Buffer.from('metadata.charged')]);
    const part = { first: 1_000, end: 100_000, token: body.token };
    const late = uploadPart(slow.client.url, app, file, part);
    await expect.poll(() => held.seen.length).toBe(1);
    await endWriter(await onlyFileOf(app));
    const taken = await uploadPart(server.client.url, app, file, { ...part, end: 5_000 });
    expect(taken).toMatchObject({ status: 202, body: { received: 5_000 } });
    held.release();
    expect(await late).toMatchObject({ status: 409 });
    expect((await onlyFileOf(app)).metadata.charged).toBe(5_000);
  });

  it('holds for files that arrive at the same time on two servers', async () => {
    const limits = { FILE_LIMIT: '20000', FILES_APP_LIMIT: '20000', TRUST_PROXY: '1' };
    const servers = [
      await startServer(limits, server.db.databaseName),
      await startServer(limits, server.db.databaseName),
    ] as const;
    try {
      const app = await appWith();
      const sent = Array.from({ length: 12 }, (_, n) =>
        upload(servers[(n % 2) as 0 | 1].client.url, app, pdfOf(6_000), from(n)),
      );
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(3);
      expect(statuses.filter((status) => status !== 201 && status !== 413)).toEqual([]);
      const found = await server.db.collection('apps').findOne({ sourceAppId: app });
      const stored = await files().find({ 'metadata.appId': found?._id }).toArray();
      expect(stored.reduce((sum, { metadata }) => sum + metadata.charged, 0)).toBeLessThanOrEqual(20_000);
      // There is room for one in any case.
      const answer = await upload(servers[0].client.url, await appWith(), pdfOf(19_000));
      expect(answer.status).toBe(201);
    } finally {
      for (const one of servers) await one.close();
    }
  });
});
