import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse as parseDisposition } from 'content-disposition';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHUNK_BYTES, type FileMetadata } from '../../../src/features/files/files.model.ts';
import { Client, type TestApp } from '../../support/server/client.ts';
import { asBytes } from '../../support/server/downloads.ts';
import { bytesOf, type FileValue, nameFile, sha256, storeFile } from '../../support/server/files.ts';
import { createKey } from '../../support/server/keys.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

let server: TestServer;
let second: TestServer;
let app: TestApp;
let operator: Client;
let elsewhere: Client;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
  app = await server.admin.buildApp();
  operator = await new Client(server.listener.url).logIn(app.sourceAppId, app.password);
  elsewhere = await new Client(second.listener.url).logIn(app.sourceAppId, app.password);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const CONTENT = bytesOf(2 * CHUNK_BYTES + 1_000);
let people = 0;

/** A new record that names a file; resolves with both. */
async function named(
  content = CONTENT,
  { of = app.sourceAppId, ...more }: { of?: string; name?: string } & Partial<FileMetadata> = {},
): Promise<FileValue & { record: string }> {
  people += 1;
  const { body } = await server.client.submit(of, { email: `p${people}@example.com` }).expect(200);
  const value = await storeFile(server.db, of, content, { record: new UUID(body.id as string), ...more });
  await nameFile(server.db, body.id, value);
  return { ...value, record: body.id };
}

const read = (id: string, headers: Record<string, string> = {}, query = '', client = operator) =>
  asBytes(client.get(`/auth/files/${id}${query}`).set(headers));

const setFile = (id: string, set: object) =>
  server.db.collection<{ _id: UUID }>('files.files').updateOne({ _id: new UUID(id) }, { $set: set });

describe('GET /auth/files/:id', () => {
  it('sends the file with headers that let no browser run it', async () => {
    const { id, sha256: hash } = await named();
    const { headers, body } = await read(id).expect(200);
    expect(sha256(body)).toBe(sha256(CONTENT));
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(CONTENT.length),
      'content-disposition': 'attachment; filename=cv.pdf',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
      'cross-origin-resource-policy': 'same-origin',
      'accept-ranges': 'bytes',
      etag: `"${hash}"`,
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(sha256((await read(id, {}, '', elsewhere).expect(200)).body)).toBe(sha256(CONTENT));
  });

  it('sends texts as UTF-8, and files of no bytes', async () => {
    const text = await named(Buffer.from('größer'), { name: 'a.txt', type: 'txt' });
    expect((await read(text.id).expect(200)).headers['content-type']).toBe('text/plain; charset=utf-8');
    const empty = await named(Buffer.alloc(0), { name: 'a.txt', type: 'txt' });
    const { headers, body } = await read(empty.id).expect(200);
    expect([headers['content-length'], body.length]).toEqual(['0', 0]);
    await read(empty.id, { Range: 'bytes=0-' }).expect(416);
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    [`bytes=${CHUNK_BYTES - 1}-${CHUNK_BYTES}`, CHUNK_BYTES - 1, CHUNK_BYTES],
    [`bytes=${CHUNK_BYTES}-${2 * CHUNK_BYTES - 1}`, CHUNK_BYTES, 2 * CHUNK_BYTES - 1],
    [`bytes=5-${2 * CHUNK_BYTES + 5}`, 5, 2 * CHUNK_BYTES + 5],
    ['bytes=100-', 100, CONTENT.length - 1],
    ['bytes=-7', CONTENT.length - 7, CONTENT.length - 1],
    [`bytes=-${CONTENT.length}`, 0, CONTENT.length - 1],
    [`bytes=-${CONTENT.length + 1}`, 0, CONTENT.length - 1],
    [`bytes=0-${2 ** 53}`, 0, CONTENT.length - 1],
    ['bytes= 3 - 4 ', 3, 4],
  ])('sends the range %s', async (range, start, end) => {
    const { id, sha256: hash } = await named();
    const { headers, body } = await read(id, { Range: range }).expect(206);
    expect(Buffer.compare(body, CONTENT.subarray(start, end + 1))).toBe(0);
    expect(headers).toMatchObject({
      'content-range': `bytes ${start}-${end}/${CONTENT.length}`,
      'content-length': String(end - start + 1),
      'content-security-policy': "sandbox; default-src 'none'",
      etag: `"${hash}"`,
    });
  });

  it.each([`bytes=${CONTENT.length}-`, 'bytes=-0', 'bytes=9-3'])('refuses the range %s', async (range) => {
    const { id } = await named();
    const { headers, body } = await read(id, { Range: range }).expect(416);
    expect(headers['content-range']).toBe(`bytes */${CONTENT.length}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({ code: 'rangeOutside', params: { bytes: CONTENT.length } });
  });

  it.each(['bytes=0-1,4-5', `bytes=${'0-,'.repeat(2_000)}0-`, 'lines=1-2', 'bytes', 'bytes=a-b', 'bytes=--1', ''])(
    'ignores the range %.20s',
    async (range) => {
      const { id } = await named(Buffer.from('short'));
      const { body } = await read(id, { Range: range }).expect(200);
      expect(String(body)).toBe('short');
    },
  );

  it('sends 304 for its ETag, and the whole file for a range of other bytes', async () => {
    const { id, sha256: hash } = await named();
    for (const tags of [`"${hash}"`, `W/"${hash}"`, `"x", "${hash}"`, '*']) {
      const { headers, body } = await read(id, { 'If-None-Match': tags, Range: 'bytes=0-1' }).expect(304);
      expect([body.length ?? 0, headers.etag, headers['content-type']]).toEqual([0, `"${hash}"`, undefined]);
    }
    await read(id, { 'If-None-Match': '"x"' }).expect(200);
    await read(id, { 'If-Range': `"${hash}"`, Range: 'bytes=0-1' }).expect(206);
    await read(id, { 'If-Range': '"x"', Range: 'bytes=0-1' }).expect(200);
    // A weak tag proves no equality of bytes, and there is no time that could.
    await read(id, { 'If-Range': `W/"${hash}"`, Range: 'bytes=0-1' }).expect(200);
  });

  it('answers HEAD without reading the content', async () => {
    const { id, sha256: hash } = await named();
    await server.db.collection('files.chunks').deleteMany({ files_id: new UUID(id) });
    const answer = await fetch(`${server.listener.url}/auth/files/${id}`, { method: 'HEAD', headers: await cookies() });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(CONTENT.length));
    expect(answer.headers.get('etag')).toBe(`"${hash}"`);
    await read(id).expect(404);
  });

  it('shows pictures in the page, and nothing else', async () => {
    for (const type of ['png', 'jpeg', 'gif', 'webp']) {
      const { id } = await named(CONTENT, { name: `a.${type}`, type });
      const { headers } = await read(id, {}, '?inline=1').expect(200);
      expect(headers['content-disposition']).toBe(`inline; filename=a.${type}`);
      expect(headers['content-type']).toBe(`image/${type}`);
      expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'");
      expect((await read(id).expect(200)).headers['content-disposition']).toMatch(/^attachment;/);
    }
    for (const type of ['pdf', 'heic', 'txt', 'mp4', 'zip']) {
      const { id } = await named(CONTENT, { name: `a.${type}`, type });
      const { headers } = await read(id, {}, '?inline=1').expect(200);
      expect(headers['content-disposition']).toBe(`attachment; filename=a.${type}`);
    }
    const { id } = await named();
    expect((await read(id, {}, '?inline=true').expect(400)).body.errors[0]).toMatchObject({ path: 'inline' });
  });

  it.each([
    'größe – 履歴書.pdf',
    'a"; filename="b.html',
    'a\r\nSet-Cookie: sid=x\r\n\r\n<script>.pdf',
    'a\\".pdf',
    '%2e%2e%0d%0a.pdf',
    '\u202Efdp.exe',
    `${'ä'.repeat(200)}.pdf`,
    '',
  ])('names the file %j in a header', async (name) => {
    const { id } = await named(Buffer.from('x'), { name });
    const { headers } = await read(id).expect(200);
    const { type, parameters } = parseDisposition(String(headers['content-disposition']));
    expect([type, parameters.filename]).toEqual(['attachment', name]);
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers['content-disposition']).toMatch(/^[\x20-\x7e]+$/);
  });

  it('sends a name with half a character', async () => {
    const { id } = await named(Buffer.from('x'));
    await setFile(id, { filename: 'a\ud83d.pdf' });
    await read(id).expect(200);
  });
});

/** The cookie of a session of the operator. */
async function cookies(): Promise<Record<string, string>> {
  const { headers } = await new Client(server.listener.url).post('/auth/login', app).expect(200);
  return { Cookie: String(headers['set-cookie']?.[0]).split(';')[0] ?? '' };
}

describe('a file', () => {
  const users = () => server.db.collection<{ _id: UUID }>('users');

  it('is 404 for another app, also by its admin name, and for no id', async () => {
    const { id } = await named();
    const other = await server.admin.buildApp();
    const stranger = await new Client(server.listener.url).logIn(other.sourceAppId, other.password);
    expect((await read(id, {}, '', stranger).expect(404)).body.code).toBe('fileNotFound');
    await stranger.post(`/auth/files/${id}/link`).expect(404);
    await read(id, {}, '', server.admin).expect(404);
    await read(id, {}, `?sourceAppId=${other.sourceAppId}`, server.admin).expect(404);
    await read(id, {}, `?sourceAppId=${app.sourceAppId}`, server.admin).expect(200);
    await read(id, {}, `?sourceAppId=${other.sourceAppId}`).expect(403);
    for (const none of [new UUID().toString(), 'x', '%00', id.slice(1)]) await read(none).expect(404);
    await new Client(server.listener.url).get(`/auth/files/${id}`).expect(401);
  });

  it('needs the scope users:read', async () => {
    const { id } = await named();
    const settings = { sourceAppId: app.sourceAppId };
    const reader = await createKey(server, server.admin, ['users:read'], settings);
    await reader.send('get', `/auth/files/${id}`).expect(200);
    const writer = await createKey(server, server.admin, ['users:write', 'export'], settings);
    await writer.send('get', `/auth/files/${id}`).expect(403);
    await writer.send('post', `/auth/files/${id}/link`).expect(403);
  });

  it('is 404 unless it is whole, and a record names it', async () => {
    const { id, record } = await named();
    for (const state of ['arriving', 'removing']) {
      await setFile(id, { 'metadata.state': state });
      await read(id).expect(404);
    }
    await setFile(id, { 'metadata.state': 'whole' });
    await read(id).expect(200);
    // Another record that names it is none of its own.
    await setFile(id, { 'metadata.record': new UUID() });
    await read(id).expect(404);
    await setFile(id, { 'metadata.record': new UUID(record) });
    for (const cv of ['x', [], [{ id: new UUID().toString() }], { id }, [[{ id }]], null]) {
      await users().updateOne({ _id: new UUID(record) }, { $set: { 'data.cv': cv } });
      await read(id).expect(404);
    }
    await users().updateOne({ _id: new UUID(record) }, { $set: { 'data.other': [{ id: 'x' }, { id }] } });
    await read(id).expect(200);
  });

  it('stays readable while the history of its record names it, and no longer', async () => {
    const { id, record } = await named();
    await operator.patch(`/auth/users/${record}`, { unset: ['cv'] }).expect(200);
    await read(id).expect(200);
    await users().updateOne({ _id: new UUID(record) }, { $unset: { history: 1 } });
    await read(id).expect(404);
  });

  it('is 404 on each server as soon as its record is erased', async () => {
    const { id, record } = await named();
    await read(id).expect(200);
    await elsewhere.delete(`/auth/users/${record}`).expect(200);
    await read(id).expect(404);
    await operator.post(`/auth/files/${id}/link`).expect(404);
    await read(id, {}, '', elsewhere).expect(404);
  });

  it('is readable while an operator may read the held submission that names it', async () => {
    const of = await server.admin.buildApp();
    const reader = await new Client(server.listener.url).logIn(of.sourceAppId, of.password);
    const input = { email: 'bot@example.com', data: { cv: 'later' } };
    await server.services.submissions.submit(of.sourceAppId, input, { via: 'form', isTrapped: true });
    const held = server.db.collection<{ _id: UUID; reason: string }>('held_submissions');
    const entry = await held.findOne({ email: input.email });
    if (!entry) throw new Error('nothing is held');
    const value = await storeFile(server.db, of.sourceAppId, CONTENT, { held: entry._id });
    await read(value.id, {}, '', reader).expect(404);
    await held.updateOne({ _id: entry._id }, { $set: { 'data.cv': [value] } });
    await read(value.id, {}, '', reader).expect(200);
    await held.updateOne({ _id: entry._id }, { $set: { reason: 'confirm' } });
    await read(value.id, {}, '', reader).expect(404);
    await held.updateOne({ _id: entry._id }, { $set: { reason: 'honeypot' } });
    await reader.delete(`/auth/held/${entry._id.toString()}`).expect(200);
    await read(value.id, {}, '', reader).expect(404);
  });

  it('is not given out while it waits for the scanner, and never when it is infected', async () => {
    const { id } = await named();
    await setFile(id, { 'metadata.scan': 'waiting' });
    expect((await read(id).expect(409)).body.code).toBe('fileWaiting');
    expect((await operator.post(`/auth/files/${id}/link`).expect(409)).body.code).toBe('fileWaiting');
    await setFile(id, { 'metadata.scan': 'infected' });
    expect((await read(id, { 'If-None-Match': '*' }).expect(410)).body.code).toBe('malwareRemoved');
    await operator.post(`/auth/files/${id}/link`).expect(410);
  });

  it('is visibly incomplete when a part of its content is gone', async () => {
    const { id } = await named(bytesOf(5_000_000));
    const chunks = server.db.collection('files.chunks');
    await chunks.deleteOne({ files_id: new UUID(id), n: 15 });
    await expect(fetchWhole(id)).rejects.toThrow();
    await chunks.updateOne({ files_id: new UUID(id), n: 19 }, { $set: { n: 15 } });
    await expect(fetchWhole(id)).rejects.toThrow();
    await chunks.deleteOne({ files_id: new UUID(id), n: 0 });
    expect((await read(id).expect(404)).body.code).toBe('fileNotFound');
  });

  async function fetchWhole(id: string): Promise<ArrayBuffer> {
    const answer = await fetch(`${server.listener.url}/auth/files/${id}`, { headers: await cookies() });
    expect(answer.status).toBe(200);
    return answer.arrayBuffer();
  }
});

describe('clients that read slowly', () => {
  /** Begins to read a file and stops after the headers. */
  async function beginReading(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const request = httpGet(server.listener.url + path, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.pause();
  }

  it('make the server read no more than they take', { tags: 'long' }, async () => {
    const { id } = await named(bytesOf(20_000_000));
    const { Cookie = '' } = await cookies();
    const response = await beginReading(`/auth/files/${id}`, { Cookie });
    // The last chunk is gone before it is needed: what is read later fails.
    await server.db.collection('files.chunks').deleteOne({ files_id: new UUID(id), n: 76 });
    await expect(async () => {
      for await (const _ of response);
    }).rejects.toThrow();
  });

  it('get no more when their session has ended', { tags: 'long' }, async () => {
    const { id } = await named(bytesOf(20_000_000));
    const { Cookie = '' } = await cookies();
    const response = await beginReading(`/auth/files/${id}`, { Cookie });
    const left = await fetch(`${second.listener.url}/auth/logout`, { method: 'POST', headers: { Cookie } });
    expect(left.status).toBe(200);
    // A caller is checked again after a second.
    await sleep(1_000);
    await expect(async () => {
      for await (const _ of response);
    }).rejects.toThrow();
  });

  it('are 8 of a network by links, and others are refused', { tags: 'long', timeout: 30_000 }, async () => {
    const { id } = await named(bytesOf(20_000_000));
    const { body } = await operator.post(`/auth/files/${id}/link`).expect(200);
    const path = new URL(body.url).pathname;
    const slow = await Promise.all(Array.from({ length: 8 }, () => beginReading(path, {})));
    expect(slow.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect((await server.client.get(path).expect(429)).body.code).toBe('tooManyExports');
    // Operators have turns of their own.
    await read(id, { Range: 'bytes=0-1' }).expect(206);
    for (const response of slow) response.destroy();
    await expect.poll(async () => (await fetch(server.listener.url + path, { method: 'HEAD' })).status).toBe(200);
  });
});
