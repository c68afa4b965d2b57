import { BSON, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCursors } from '../../../src/platform/http/cursors.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { bytesOf, nameFile, storeFile } from '../../support/server/files.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const SECRET = 'the secret of the tests of links';
const CONTENT = bytesOf(1_000);

let server: TestServer;
let second: TestServer;
let app: TestApp;
let operator: Client;
beforeAll(async () => {
  server = await startServer({ SESSION_SECRET: SECRET, PUBLIC_URL: 'https://forms.example.com' });
  second = await startServer({ SESSION_SECRET: SECRET }, server.database);
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

let people = 0;

async function prepare({ name = 'cv.pdf', type = 'pdf' } = {}) {
  people += 1;
  const { body } = await server.client.submit(app.sourceAppId, { email: `p${people}@example.com` }).expect(200);
  const value = await storeFile(server.db, app.sourceAppId, CONTENT, {
    name,
    type,
    record: new UUID(body.id as string),
  });
  await nameFile(server.db, body.id, value);
  const link = async (client = operator) => (await client.post(`/auth/files/${value.id}/link`).expect(200)).body;
  return { ...value, record: body.id as string, link };
}

const pathOf = (url: string): string => new URL(url).pathname;

/** A client without a session. */
const read = (path: string, { client } = server) => client.get(path).buffer(true);

/** The content of a link, and a function that signs another one. */
async function forged(url: string, change: object, secret = SECRET, purpose: unknown = 'link to a file') {
  const bytes = Buffer.from(pathOf(url).slice('/files/'.length), 'base64url');
  const content = BSON.EJSON.parse(String(bytes.subarray(0, -16)));
  return `/files/${createCursors(secret).write({ ...content, ...change }, purpose)}`;
}

describe('POST /auth/files/:id/link', () => {
  it('creates a link that needs no session for 15 minutes, on each server', async () => {
    const file = await prepare();
    const before = Date.now();
    const { url, expiresAt } = await file.link();
    const minutes = (new Date(expiresAt).getTime() - before) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(15);
    expect(minutes).toBeLessThan(16);
    expect(url).toMatch(/^https:\/\/forms\.example\.com\/files\/[\w-]+$/);
    for (const one of [server, second]) {
      const { headers } = await read(pathOf(url), one).expect(200);
      expect(headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename=cv.pdf',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'private, no-store',
        'cross-origin-resource-policy': 'same-origin',
        etag: `"${file.sha256}"`,
      });
      expect(headers).not.toHaveProperty('set-cookie');
      await read(pathOf(url), one).set('Range', 'bytes=0-9').expect(206);
      await read(pathOf(url), one).set('If-None-Match', `"${file.sha256}"`).expect(304);
    }
  });

  it('has the origin of the request without PUBLIC_URL, and shows pictures with inline', async () => {
    const { link } = await prepare({ name: 'a.png', type: 'png' });
    const other = await new Client(second.listener.url).logIn(app.sourceAppId, app.password);
    const { url } = await link(other);
    expect(new URL(url).origin).toBe(second.listener.url);
    const answer = await fetch(`${url}?inline=1`);
    expect(answer.headers.get('content-disposition')).toBe('inline; filename=a.png');
    expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), CONTENT)).toBe(0);
  });

  it('is valid until its time, and for no other file, app or secret', async () => {
    const file = await prepare();
    const other = await prepare();
    const { url } = await file.link();
    const at = Date.now();
    await read(await forged(url, { until: at + 60_000 })).expect(200);
    expect((await read(await forged(url, { until: at - 1 })).expect(410)).body.code).toBe('confirmationExpired');
    await read(await forged(url, { file: other.id })).expect(200);
    expect((await read(await forged(url, { file: new UUID().toString() })).expect(404)).body.code).toBe('fileNotFound');
    await read(await forged(url, { app: '65f0c0ffee65f0c0ffee65f0' })).expect(404);
    for (const wrong of [await forged(url, {}, 'another secret'), await forged(url, {}, SECRET, 'another purpose')])
      expect((await read(wrong).expect(404)).body.code).toBe('confirmationInvalid');
  });

  it('cannot be changed', async () => {
    const { link } = await prepare();
    const path = pathOf((await link()).url);
    const token = path.slice('/files/'.length);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === 'A' ? 'B' : 'A';
      await read(`/files/${token.slice(0, at)}${other}${token.slice(at + 1)}`).expect(404);
    }
    for (const text of ['x', token.slice(1), `${token}A`, `${token}=`, `${token}%00`, 'A'.repeat(8_000)])
      expect((await read(`/files/${text}`).expect(404)).body.code).toBe('confirmationInvalid');
    const { headers } = await read('/files/x').expect(404);
    expect(headers['cache-control']).toBe('private, no-store');
    await prepare();
    const { next } = (await operator.get('/auth/users?limit=1&total=none').expect(200)).body;
    expect(next).toEqual(expect.any(String));
    expect((await read(`/files/${next}`).expect(404)).body.code).toBe('confirmationInvalid');
    await read(path).expect(200);
  });

  it('leads nowhere once the record is erased, or names the file no more', async () => {
    const [erased, unset, gone] = [await prepare(), await prepare(), await prepare()];
    const paths = await Promise.all([erased, unset, gone].map(async ({ link }) => pathOf((await link()).url)));
    for (const path of paths) await read(path, second).expect(200);
    await operator.delete(`/auth/users/${erased.record}`).expect(200);
    await server.db
      .collection<{ _id: UUID }>('users')
      .updateOne({ _id: new UUID(unset.record) }, { $unset: { 'data.cv': 1 } });
    await server.db.collection<{ _id: UUID }>('files.files').deleteOne({ _id: new UUID(gone.id) });
    for (const path of paths) expect((await read(path, second).expect(404)).body.code).toBe('fileNotFound');
  });

  it('is in no log, and its use is an event', async () => {
    const file = await prepare();
    const path = pathOf((await file.link()).url);
    await read(path).expect(200);
    await read(path).expect(200);
    expect(server.log()).toContain('"path":"/files/:token"');
    expect(server.log()).not.toContain(path);
    const { events } = (await operator.get('/auth/audit?limit=2').expect(200)).body;
    expect(events).toMatchObject([
      { action: 'file.read', target: file.id, sourceAppId: app.sourceAppId, actor: { kind: 'anonymous', id: null } },
      { action: 'file.linked', target: file.id, sourceAppId: app.sourceAppId, actor: { kind: 'operator' } },
    ]);
    for (const { detail } of events) expect(detail).toMatchObject({ record: file.record });
    expect(JSON.stringify(events)).not.toContain('cv.pdf');
  });

  it('answers no other site', async () => {
    const path = pathOf((await (await prepare()).link()).url);
    await read(path).set('Origin', 'https://evil.example').expect(403);
    await server.client.post(path).expect(405);
  });
});
