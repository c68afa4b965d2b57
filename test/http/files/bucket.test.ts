// @module-tag long

import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { startProxy, type TcpProxy } from '../../support/peers/proxy.ts';
import { type S3Server, startS3 } from '../../support/peers/s3.ts';
import { exportOf, type SentFile, zipOf } from '../../support/samples/archives.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { asBytes } from '../../support/server/downloads.ts';
import { bytesOf, nameFile, sha256, storeFile } from '../../support/server/files.ts';
import { prepareImport, untilImport } from '../../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { age } from '../../support/server/uploaded.ts';
import { CV, pdfOf, upload, uploadPart } from '../../support/server/uploads.ts';

let s3: S3Server;
/** Between both servers and the bucket. */
let proxy: TcpProxy;
/** Between the second server and the database. */
let route: TcpProxy;
let server: TestServer;
let second: TestServer;
/** Of the same database, without FILES_URL. */
let without: TestServer;
let app: TestApp;
beforeAll(async () => {
  s3 = await startS3();
  proxy = await startProxy(new URL(`http://127.0.0.1:${s3.port}`));
  const uri = new URL(inject('mongodbUri'));
  route = await startProxy(uri);
  const env = { FILES_URL: s3.url('files', proxy.port), FILE_LIMIT: '80000000', TRUST_PROXY: '1' };
  server = await startServer(env, undefined, QUICK_JOBS);
  const held = new URL(uri);
  held.port = String(route.port);
  held.pathname = `/${server.database}`;
  second = await startServer({ ...env, MONGODB_URI: held.href }, server.database);
  without = await startServer({}, server.database);
  app = await server.admin.buildApp({ fields: [CV] });
}, 300_000);
afterEach(() => proxy.restore());
afterAll(async () => {
  for (const one of [second, without, server]) await one?.close();
  await route?.close();
  await proxy?.close();
  await s3?.close();
});

const files = () => server.db.collection<FileDocument>('files.files');
const chunksOf = (_id: UUID) => server.db.collection('files.chunks').countDocuments({ files_id: _id } as object);
const newest = async (): Promise<FileDocument> =>
  (await files().find().sort({ _id: -1 }).limit(1).next()) as FileDocument;
const keyOf = ({ _id }: FileDocument): string => `files/${_id.toHexString(true)}`;

let people = 0;

/** A new record that names an uploaded file. */
async function named(content: Buffer): Promise<{ id: string; record: string; file: FileDocument }> {
  people += 1;
  const { body } = await upload(server.client.url, app.sourceAppId, content);
  const file = await newest();
  const given = { email: `p${people}@example.com`, data: { cv: [body.token] } };
  const { id: record } = (await server.client.submit(app.sourceAppId, given).expect(200)).body;
  return { id: file._id.toHexString(true), record, file };
}

async function read(id: string, range = '', from = server) {
  const operator = await new Client(from.listener.url).logIn(app.sourceAppId, app.password);
  return asBytes(operator.get(`/auth/files/${id}`).set(range === '' ? {} : { range }));
}

describe('files in a bucket', () => {
  it('are there when the upload is answered, with their bytes and no chunks', async () => {
    const content = pdfOf(900_000);
    const { status, body } = await upload(server.client.url, app.sourceAppId, content);
    expect([status, body.sha256]).toEqual([201, sha256(content)]);
    const file = await newest();
    expect(file.metadata).toMatchObject({ store: 's3', state: 'whole', sha256: sha256(content) });
    expect(await chunksOf(file._id)).toBe(0);
    expect(await s3.keys()).toContain(keyOf(file));
    expect(sha256(await s3.read(keyOf(file)))).toBe(sha256(content));
  });

  it('arrive in parts over two servers', async () => {
    const content = pdfOf(700_000);
    const first = await uploadPart(server.client.url, app.sourceAppId, content, { first: 0, end: 300_000 });
    expect(first.status).toBe(202);
    const { token } = first.body;
    const last = await uploadPart(second.client.url, app.sourceAppId, content, { first: 300_000, end: 700_000, token });
    expect([last.status, last.body.sha256]).toEqual([201, sha256(content)]);
    expect(sha256(await s3.read(keyOf(await newest())))).toBe(sha256(content));
  });

  it('are sent in parts of S3 when they are large', async () => {
    const content = pdfOf(66_000_000);
    const { status } = await upload(server.client.url, app.sourceAppId, content);
    expect(status).toBe(201);
    const file = await newest();
    expect(sha256(await s3.read(keyOf(file)))).toBe(sha256(content));
    expect(await s3.unfinishedUploads()).toEqual([]);
    expect(await chunksOf(file._id)).toBe(0);
  });

  it('are read through the service, whole and by ranges', async () => {
    const content = pdfOf(900_000);
    const { id } = await named(content);
    for (const from of [server, second]) {
      const whole = await read(id, '', from);
      expect([whole.status, whole.headers.etag, sha256(whole.body)]).toEqual([
        200,
        `"${sha256(content)}"`,
        sha256(content),
      ]);
    }
    const part = await read(id, 'bytes=300000-300099');
    expect([part.status, part.headers['content-range']]).toEqual([206, 'bytes 300000-300099/900000']);
    expect(Buffer.compare(part.body, content.subarray(300_000, 300_100))).toBe(0);
  });

  it('need a bucket; those of the database do not', async () => {
    const { id } = await named(pdfOf(500));
    const refused = await read(id, '', without);
    expect([refused.status, refused.body.code]).toEqual([503, 'noFileStore']);
    const content = bytesOf(400_000);
    people += 1;
    const { body } = await server.client.submit(app.sourceAppId, { email: `p${people}@example.com` }).expect(200);
    const value = await storeFile(server.db, app.sourceAppId, content, { record: new UUID(body.id as string) });
    await nameFile(server.db, body.id, value);
    for (const from of [server, without]) expect(sha256((await read(value.id, '', from)).body)).toBe(sha256(content));
  });
});

/** Lets the hour of a file pass. */
const expire = ({ _id }: FileDocument) => age(server.db, { id: _id.toHexString(true) } as never, 2 * 3_600_000);
const untilGone = (file: FileDocument) =>
  expect.poll(async () => (await s3.keys()).includes(keyOf(file)), { timeout: 20_000 }).toBe(false);

describe('the removal of files from a bucket', () => {
  it('is complete when an erasure or the deletion of an app is answered', async () => {
    const { record, file } = await named(pdfOf(300_000));
    expect(await s3.keys()).toContain(keyOf(file));
    await server.admin.delete(`/auth/users/${record}?sourceAppId=${app.sourceAppId}`).expect(200);
    expect(await s3.keys()).not.toContain(keyOf(file));

    const other = await server.admin.buildApp({ fields: [CV] });
    expect((await upload(server.client.url, other.sourceAppId, pdfOf(200))).status).toBe(201);
    const waiting = await newest();
    expect(await s3.keys()).toContain(keyOf(waiting));
    await server.admin.delete(`/auth/apps/${other.sourceAppId}`).expect(200);
    expect(await s3.keys()).not.toContain(keyOf(waiting));
  });

  it('follows the hour of a file that nothing names, also after the bucket was away', async () => {
    expect((await upload(server.client.url, app.sourceAppId, pdfOf(200))).status).toBe(201);
    const file = await newest();
    proxy.cut();
    await expire(file);
    await expect
      .poll(async () => (await files().findOne({ _id: file._id }))?.metadata.state, { timeout: 20_000 })
      .toBe('removing');
    expect(await s3.keys()).toContain(keyOf(file));
    proxy.restore();
    await files().updateOne({ _id: file._id }, { $set: { 'metadata.checkAt': new Date(0) } });
    await untilGone(file);
  });

  it('follows a file that replaces it, and leaves no chunks of one that stays', async () => {
    const { id, file } = await named(pdfOf(400_000));
    const chunk = { files_id: file._id, n: 0, data: Buffer.from('left by a server that was killed') };
    await server.db.collection('files.chunks').insertOne(chunk);
    await expire(file);
    await expect.poll(() => chunksOf(file._id), { timeout: 20_000 }).toBe(0);
    expect((await read(id)).status).toBe(200);
    const { body } = await upload(server.client.url, app.sourceAppId, pdfOf(200));
    const given = { email: `p${people}@example.com`, data: { cv: [body.token] } };
    await server.client.submit(app.sourceAppId, given).expect(200);
    await untilGone(file);
  });

  it('reaches what came to the bucket after the deletion of its app', async () => {
    const other = await server.admin.buildApp({ fields: [CV] });
    const whole = route.holdNext('findAndModify', 'files.files');
    const sending = upload(second.client.url, other.sourceAppId, pdfOf(300_000));
    const forward = await whole;
    const file = await newest();
    await server.admin.delete(`/auth/apps/${other.sourceAppId}`).expect(200);
    // As if it had not arrived before.
    await s3.write(keyOf(file), pdfOf(300_000));
    await forward();
    expect((await sending).status).toBe(409);
    expect(await s3.keys()).not.toContain(keyOf(file));
  });
});

describe('a bucket that is away', () => {
  it('refuses a file with 503, and nothing of it stays', async () => {
    const keys = await s3.keys();
    proxy.cut();
    const { status, body } = await upload(server.client.url, app.sourceAppId, pdfOf(400_000));
    expect([status, body.code]).toEqual([503, 'noFileStore']);
    const file = await newest();
    expect(file.metadata.state).toBe('removing');
    expect(file.metadata.token).toBeUndefined();
    expect(await chunksOf(file._id)).toBe(0);
    proxy.restore();
    expect((await upload(server.client.url, app.sourceAppId, pdfOf(400_000))).status).toBe(201);
    expect((await s3.keys()).filter((key) => !keys.includes(key))).toEqual([keyOf(await newest())]);
  });

  it('also when it ends while the file is sent to it', async () => {
    const sending = upload(server.client.url, app.sourceAppId, pdfOf(2_000_000));
    proxy.stall();
    await expect.poll(async () => (await newest()).length).toBe(2_000_000);
    // Its content was read for the hash, and is on its way to the bucket.
    await sleep(300);
    proxy.cut();
    const { status, body } = await sending;
    expect([status, body.code]).toEqual([503, 'noFileStore']);
    expect((await newest()).metadata.state).toBe('removing');
    expect(await s3.keys()).not.toContain(keyOf(await newest()));
  });

  it('takes the last part of a file again', async () => {
    const content = pdfOf(500_000);
    const { body: first } = await uploadPart(server.client.url, app.sourceAppId, content, { first: 0, end: 200_000 });
    const rest = { first: 200_000, end: 500_000, token: first.token };
    proxy.cut();
    const refused = await uploadPart(server.client.url, app.sourceAppId, content, rest);
    expect([refused.status, refused.body.code]).toEqual([503, 'noFileStore']);
    expect((await newest()).metadata.state).toBe('arriving');
    proxy.restore();
    const { status, body } = await uploadPart(second.client.url, app.sourceAppId, content, rest);
    expect([status, body.sha256]).toEqual([201, sha256(content)]);
    expect(sha256(await s3.read(keyOf(await newest())))).toBe(sha256(content));
  });

  it('refuses to read with 503, and serves the rest', async () => {
    const { id } = await named(pdfOf(500));
    proxy.cut();
    const refused = await read(id);
    expect([refused.status, refused.body.code]).toEqual([503, 'noFileStore']);
    people += 1;
    await server.client.submit(app.sourceAppId, { email: `p${people}@example.com` }).expect(200);
    proxy.restore();
    expect((await read(id)).status).toBe(200);
  });

  it('refuses an erasure with 503; its repeat leaves nothing in the bucket', async () => {
    const { record, file } = await named(pdfOf(300_000));
    const erase = () => server.admin.delete(`/auth/users/${record}?sourceAppId=${app.sourceAppId}`);
    proxy.cut();
    expect((await erase().expect(503)).body.code).toBe('noFileStore');
    expect(await s3.keys()).toContain(keyOf(file));
    proxy.restore();
    // Another server may have finished it: the record is gone then.
    expect([200, 404]).toContain((await erase()).status);
    expect(await s3.keys()).not.toContain(keyOf(file));
    expect(await files().countDocuments({ _id: file._id })).toBe(0);
  });

  it('breaks a download visibly', async () => {
    const { id } = await named(pdfOf(20_000_000));
    const operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
    const { body } = await operator.post(`/auth/files/${id}/link`).expect(200);
    const { status, headers, body: content } = await fetch(body.url);
    expect([status, headers.get('content-length')]).toEqual([200, '20000000']);
    const download = (async () => {
      for await (const _piece of content ?? []) proxy.cut();
    })();
    await expect(download).rejects.toThrow();
  });
});

describe('the import of an archive', () => {
  const cv = (content: Buffer) => ({ id: new UUID().toString(), name: 'cv.pdf', content });
  const filesOf = async (sourceAppId: string): Promise<FileDocument[]> => {
    const found = await server.db.collection('apps').findOne({ sourceAppId });
    return files().find({ 'metadata.appId': found?._id }).toArray();
  };

  it('puts each file into the bucket once, also while the bucket is away at first', async () => {
    const to = await server.admin.buildApp({ fields: [CV] });
    const contents = [pdfOf(400_000), pdfOf(77), pdfOf(900_000, 3)];
    const [a, b, c] = contents.map(cv) as [SentFile, SentFile, SentFile];
    const archive = await zipOf(exportOf({ 'a@example.com': [a, b], 'b@example.com': [c] }));
    const id = await prepareImport(server.admin, to.sourceAppId, archive, { format: 'zip' });
    proxy.cut();
    await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${to.sourceAppId}`).expect(200);
    await expect.poll(async () => (await filesOf(to.sourceAppId)).length).toBeGreaterThan(0);
    await sleep(1_000);
    const waiting = await untilImport(server.admin, to.sourceAppId, id, () => true);
    expect(waiting).toMatchObject({ state: 'running', created: 0, rejected: 0 });
    proxy.restore();
    expect(await untilImport(server.admin, to.sourceAppId, id)).toMatchObject({
      state: 'completed',
      created: 2,
      rejected: 0,
    });
    const stored = (await filesOf(to.sourceAppId)).filter(({ metadata }) => metadata.state === 'whole');
    expect(stored.map(({ metadata }) => metadata.sha256).sort()).toEqual(contents.map(sha256).sort());
    for (const file of stored) {
      expect(sha256(await s3.read(keyOf(file)))).toBe(file.metadata.sha256);
      expect(await chunksOf(file._id)).toBe(0);
    }
  });
});

describe('a server that ends between the bucket and the database', () => {
  it('has acknowledged nothing, and another one takes the last part again', async () => {
    const content = pdfOf(300_000);
    const { body: first } = await uploadPart(server.client.url, app.sourceAppId, content, { first: 0, end: 100_000 });
    const rest = { first: 100_000, end: 300_000, token: first.token };
    const takeover = route.holdNext('findAndModify', 'files.files');
    const sending = uploadPart(second.client.url, app.sourceAppId, content, rest).catch(() => undefined);
    const forward = await takeover;
    const whole = route.holdNext('findAndModify', 'files.files');
    await forward();
    const forwardWhole = await whole;
    const file = await newest();
    expect(file.metadata.state).toBe('arriving');
    expect(sha256(await s3.read(keyOf(file)))).toBe(sha256(content));

    // Its time as the writer ends as if it were gone.
    const past = new Date(Date.now() - 60_000);
    await files().updateOne({ _id: file._id }, { $set: { 'metadata.writer.until': past } });
    const { status, body } = await uploadPart(server.client.url, app.sourceAppId, content, rest);
    expect([status, body.sha256]).toEqual([201, sha256(content)]);
    const { metadata } = await newest();
    await forwardWhole();
    const answer = await sending;
    // Its late write made nothing whole again, and removed nothing.
    expect([201, 409, 503]).toContain(answer?.status);
    expect((await newest()).metadata).toEqual(metadata);
    expect(sha256(await s3.read(keyOf(file)))).toBe(sha256(content));
  });

  it('leaves a file that is removed after its hour, from the bucket too', async () => {
    const whole = route.holdNext('findAndModify', 'files.files');
    const sending = upload(second.client.url, app.sourceAppId, pdfOf(300_000));
    const forward = await whole;
    const file = await newest();
    expect(file.metadata.state).toBe('arriving');
    expect(await s3.keys()).toContain(keyOf(file));
    await expire(file);
    await untilGone(file);
    await forward();
    expect((await sending).status).toBe(409);
    expect(await s3.keys()).not.toContain(keyOf(file));
  });
});
