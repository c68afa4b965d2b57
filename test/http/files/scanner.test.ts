// @module-tag long

import { UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { type Clamd, MALWARE, startClamd, UNSCANNABLE } from '../../support/peers/clamd.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { bytesOf, type FileValue, nameFile, storeFile } from '../../support/server/files.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { CV, pdf, upload, uploadPart } from '../../support/server/uploads.ts';

const CLEAN = bytesOf(300_000);
const INFECTED = Buffer.concat([CLEAN, MALWARE]);
const SOON = { timeout: 60_000, interval: 100 };

let clamd: Clamd;
let server: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  clamd = await startClamd();
  server = await startServer({ CLAMD: clamd.address }, undefined, QUICK_JOBS);
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
});
afterAll(async () => {
  await server.close();
  await clamd.stop();
});
beforeEach(() => {
  clamd.answer = undefined;
});

type Stored = { _id: UUID };
const files = () => server.db.collection<FileDocument>('files.files');
const fileOf = (id: string) => files().findOne({ _id: new UUID(id) });
const chunksOf = (id: string) => server.db.collection('files.chunks').countDocuments({ files_id: new UUID(id) });
const scanJob = () => server.services.jobs.wake('file scans');
const statusOf = async (id: string): Promise<number> => (await operator.get(`/auth/files/${id}`)).status;

let people = 0;

/** A record that names a file which waits for the scanner. */
async function waiting(content: Buffer, metadata: object = {}): Promise<FileValue & { record: string }> {
  people += 1;
  const { body } = await server.client.submit(app.sourceAppId, { email: `p${people}@example.com` }).expect(200);
  clamd.answer = null;
  const record = new UUID(body.id as string);
  const value = await storeFile(server.db, app.sourceAppId, content, { record, scan: 'waiting', ...metadata });
  await nameFile(server.db, body.id, value);
  return { ...value, record: body.id };
}

const dataOf = async (record: string) => (await operator.get(`/auth/users/${record}`).expect(200)).body.data;

describe('a file that is sent', () => {
  const countChunks = () => server.db.collection('files.chunks').countDocuments();

  async function sendTo(content: Buffer) {
    const { sourceAppId } = await server.admin.buildApp({ fields: [CV] });
    return upload(server.client.url, sourceAppId, content);
  }

  it('is scanned before it is answered', async () => {
    const scanned = clamd.scanned.length;
    const { status, body } = await sendTo(pdf());
    expect([status, clamd.scanned.slice(scanned)]).toEqual([201, [pdf().length]]);
    const stored = await files().findOne({ 'metadata.sha256': body.sha256, 'metadata.state': 'whole' });
    expect(stored?.metadata).not.toHaveProperty('scan');
  });

  it('is refused with malware, and nothing of it is stored', async () => {
    const before = await countChunks();
    const { status, body } = await sendTo(Buffer.concat([pdf(), MALWARE]));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'fileInfected', errors: [{ path: 'data.cv', code: 'fileInfected' }] });
    expect(await countChunks()).toBe(before);
    expect(await files().countDocuments({ 'metadata.state': 'whole', length: pdf().length + MALWARE.length })).toBe(0);
  });

  it('is refused with malware also when it comes in parts', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [CV] });
    const content = Buffer.concat([pdf(), MALWARE]);
    const cut = content.length - 5;
    const part = (first: number, end: number, more = {}) =>
      uploadPart(server.client.url, sourceAppId, content, { first, end, ...more });
    const { body } = await part(0, cut);
    const last = await part(cut, content.length, body);
    expect([last.status, last.body.code]).toEqual([400, 'fileInfected']);
    expect((await part(cut, content.length, body)).body.code).toBe('fileToken');
  });

  it('is stored while the scanner is away, and waits for it', async () => {
    for (const answer of ['busy ERROR', 'stream: FOUND but ERROR']) {
      clamd.answer = answer;
      const { status, body } = await sendTo(Buffer.concat([pdf(), MALWARE, Buffer.from(answer)]));
      expect(status).toBe(201);
      const stored = await files().findOne({ 'metadata.sha256': body.sha256 });
      expect(stored?.metadata).toMatchObject({ state: 'whole', scan: 'waiting' });
      await files().deleteOne({ _id: stored?._id as UUID });
    }
  });
});

describe('a file that came while the scanner was away', () => {
  it('is given out once it is scanned', async () => {
    clamd.answer = 'busy ERROR';
    const { id, record, ...value } = await waiting(CLEAN);
    clamd.answer = 'busy ERROR';
    const before = clamd.scanned.length;
    scanJob();
    await expect.poll(() => clamd.scanned.length, SOON).toBeGreaterThan(before);
    expect(await statusOf(id)).toBe(409);
    clamd.answer = undefined;
    await expect
      .poll(() => {
        scanJob();
        return statusOf(id);
      }, SOON)
      .toBe(200);
    expect((await fileOf(id))?.metadata).not.toHaveProperty('scan');
    expect(await dataOf(record)).toEqual({ cv: [{ id, ...value }] });
  });

  it('waits when clamd cannot scan it, and more than a batch of such files stops no other one', async () => {
    const refused: FileValue[] = [];
    for (let n = 0; n < 21; n += 1) refused.push(await waiting(Buffer.concat([CLEAN, UNSCANNABLE, Buffer.from([n])])));
    // Of a bucket that the service does not have.
    const elsewhere = await waiting(CLEAN, { store: 's3' });
    const other = await waiting(CLEAN);
    const infected = await waiting(INFECTED);
    clamd.answer = undefined;
    scanJob();
    await expect.poll(() => statusOf(other.id), SOON).toBe(200);
    await expect.poll(() => statusOf(infected.id), SOON).toBe(410);
    for (const { id } of [...refused, elsewhere]) expect(await statusOf(id)).toBe(409);
    // Once it can, it scans them.
    clamd.answer = 'stream: OK';
    await expect
      .poll(async () => {
        scanJob();
        return Promise.all(refused.map(({ id }) => statusOf(id)));
      }, SOON)
      .toEqual(refused.map(() => 200));
    await files().deleteMany({ 'metadata.store': 's3' });
  }, 120_000);

  it('is never given out when it is infected: the record shows it, and the content is gone', async () => {
    const { id, record, ...value } = await waiting(INFECTED);
    const other = await storeFile(server.db, app.sourceAppId, CLEAN, { record: new UUID(record) });
    await server.db
      .collection<Stored>('users')
      .updateOne({ _id: new UUID(record) }, { $set: { 'data.cv': [other, { id, ...value }], 'data.name': 'Ada' } });
    clamd.answer = undefined;
    scanJob();
    await expect.poll(() => fileOf(id).then((file) => file?.metadata.scan), SOON).toBe('infected');
    expect(await statusOf(id)).toBe(410);
    expect(await statusOf(other.id)).toBe(200);
    expect(await chunksOf(id)).toBe(0);
    expect(await dataOf(record)).toEqual({ cv: [other, { id, ...value, infected: true }], name: 'Ada' });
    const { entries } = (await operator.get(`/auth/users/${record}/history`).expect(200)).body;
    expect(entries[0]).toMatchObject({ by: { kind: 'scan' }, changes: [{ path: 'data.cv' }] });
    const revert = await operator.post(`/auth/users/${record}/revert`, { revision: entries[0].revision }).expect(409);
    expect(revert.body.code).toBe('onlyEditsUndone');
    scanJob();
    expect((await operator.get(`/auth/users/${record}/history`).expect(200)).body.entries).toHaveLength(entries.length);
  });

  it('is marked also by a write that was about to name it', async () => {
    const until = new Date(Date.now() + 1_000);
    const { id, record, ...value } = await waiting(INFECTED, { claim: { id: new UUID(), until } });
    const users = server.db.collection<Stored>('users');
    await users.updateOne({ _id: new UUID(record) }, { $unset: { 'data.cv': 1 } });
    clamd.answer = undefined;
    scanJob();
    await expect.poll(() => fileOf(id).then((file) => file?.metadata.scan), SOON).toBe('found');
    expect(await chunksOf(id)).toBe(0);
    await nameFile(server.db, record, { id, ...value });
    expect(await statusOf(id)).toBe(410);
    await expect
      .poll(async () => {
        scanJob();
        return (await fileOf(id))?.metadata.scan;
      }, SOON)
      .toBe('infected');
    expect(await dataOf(record)).toEqual({ cv: [{ id, ...value, infected: true }] });
  }, 90_000);

  it('is marked in a held submission', async () => {
    const input = { email: 'bot@example.com', data: { cv: 'later' } };
    await server.services.submissions.submit(app.sourceAppId, input, { via: 'form', isTrapped: true });
    const held = server.db.collection<Stored & { email: string }>('held_submissions');
    const entry = await held.findOne({ email: input.email });
    if (!entry) throw new Error('nothing is held');
    clamd.answer = null;
    const value = await storeFile(server.db, app.sourceAppId, INFECTED, { held: entry._id, scan: 'waiting' });
    await held.updateOne({ _id: entry._id }, { $set: { 'data.cv': [value] } });
    clamd.answer = undefined;
    scanJob();
    await expect.poll(() => fileOf(value.id).then((file) => file?.metadata.scan), SOON).toBe('infected');
    const { held: shown } = (await operator.get('/auth/held').expect(200)).body;
    expect(shown[0].data).toEqual({ cv: [{ ...value, infected: true }] });
  });

  it('is marked in a kept submission', async () => {
    const { sourceAppId, password } = await server.admin.buildApp({ fields: [CV, { key: 'name', kind: 'text' }] });
    await server.admin.put(`/auth/apps/${sourceAppId}/history`, { submissions: true }).expect(200);
    const reader = await new Client(server.listener.url).logIn(sourceAppId, password);
    clamd.answer = 'busy ERROR';
    const { body: sent } = await upload(server.client.url, sourceAppId, Buffer.concat([pdf(), MALWARE]));
    const data = { cv: [sent.token], name: 'Ada' };
    await server.client.submit(sourceAppId, { email: 'ada@example.com', data }).expect(200);
    clamd.answer = undefined;
    const shown = async () => {
      scanJob();
      return (await reader.get('/auth/submissions').expect(200)).body.submissions[0]?.data;
    };
    await expect.poll(shown, SOON).toMatchObject({ cv: [{ sha256: sent.sha256, infected: true }], name: 'Ada' });
  });

  it('of an erased record keeps no other from being scanned', async () => {
    const gone = await waiting(INFECTED);
    await server.db.collection<Stored>('users').deleteOne({ _id: new UUID(gone.record) });
    const other = await waiting(CLEAN);
    clamd.answer = undefined;
    scanJob();
    await expect.poll(() => statusOf(other.id), SOON).toBe(200);
    await expect.poll(() => fileOf(gone.id).then((file) => file?.metadata.scan), SOON).toBe('infected');
    expect(await chunksOf(gone.id)).toBe(0);
  });

  it('is marked again when a revert brings it back', async () => {
    clamd.answer = undefined;
    const { sourceAppId, password } = await server.admin.buildApp({ fields: [CV] });
    const editor = await new Client(server.listener.url).logIn(sourceAppId, password);
    const { body } = await server.client.submit(sourceAppId, { email: 'ada@example.com' }).expect(200);
    const added = await editor
      .post(`/auth/users/${body.id}/files?field=cv&name=cv.pdf`, pdf())
      .serialize((bytes) => bytes as unknown as string)
      .set('Content-Type', 'application/pdf')
      .expect(201);
    const [{ id }] = added.body.value;
    await editor.patch(`/auth/users/${body.id}`, { unset: ['cv'] }).expect(200);
    await files().updateOne({ _id: new UUID(id as string) }, { $set: { 'metadata.scan': 'infected' } });
    await editor.post(`/auth/users/${body.id}/revert`, { revision: 2 }).expect(200);
    expect((await fileOf(id))?.metadata.scan).toBe('found');
    await expect
      .poll(async () => {
        scanJob();
        return (await editor.get(`/auth/users/${body.id}`)).body.data.cv;
      }, SOON)
      .toMatchObject([{ id, infected: true }]);
    expect((await editor.get(`/auth/files/${id}`)).status).toBe(410);
  });
});
