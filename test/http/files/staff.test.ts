import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileDocument } from '../../../src/features/files/files.model.ts';
import { joinApp } from '../../support/server/accounts.ts';
import { Client } from '../../support/server/client.ts';
import { asBytes } from '../../support/server/downloads.ts';
import { sha256 } from '../../support/server/files.ts';
import { createKey } from '../../support/server/keys.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';
import { CV, PNG, pdf, pdfOf } from '../../support/server/uploads.ts';

let server: TestServer;
let second: TestServer;
beforeAll(async () => {
  server = await startServer();
  second = await startServer({}, server.database);
});
afterAll(async () => {
  await second.close();
  await server.close();
});

/** An app with a field of three files, a record, and functions of its operator. */
async function prepare() {
  const fields = [
    CV,
    { key: 'note', kind: 'file' as const, types: ['txt' as const], writers: 'staff' as const },
    { key: 'name', kind: 'text' as const },
  ];
  const app = await server.admin.buildApp({ rejectUnknown: true, fields });
  const { body } = await server.client.submit(app.sourceAppId, { email: 'ada@example.com' }).expect(200);
  const [operator, elsewhere] = await Promise.all(
    [server, second].map(({ listener }) => new Client(listener.url).logIn(app.sourceAppId, app.password)),
  );
  const path = `/auth/users/${body.id}/files`;
  const add = (content: Buffer, query = 'field=cv&name=cv.pdf', client = operator as Client) =>
    client
      .post(`${path}?${query}`, content)
      .serialize((bytes) => bytes as unknown as string)
      .set('Content-Type', 'application/pdf');
  const record = async () => (await (operator as Client).get(`/auth/users/${body.id}`).expect(200)).body;
  return {
    ...app,
    id: body.id as string,
    operator: operator as Client,
    elsewhere: elsewhere as Client,
    add,
    record,
    path,
  };
}

const files = () => server.db.collection<FileDocument>('files.files');
async function stored(sourceAppId: string): Promise<FileDocument[]> {
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  return files().find({ 'metadata.appId': app?._id }).toArray();
}
const whole = async (sourceAppId: string) =>
  (await stored(sourceAppId)).filter(({ metadata }) => metadata.state === 'whole').length;

describe('POST /auth/users/:id/files', () => {
  it('adds one file after the other to the list of a record, on each server', async () => {
    const { add, record, operator, elsewhere, id } = await prepare();
    const { body, headers } = await add(pdf()).expect(201);
    const [first] = body.value;
    expect(body.value).toEqual([
      { id: expect.any(String), name: 'cv.pdf', type: 'pdf', size: pdf().length, sha256: sha256(pdf()) },
    ]);
    const stored = await record();
    expect(stored.data).toEqual({ cv: [first] });
    expect(headers.etag).toBe((await operator.get(`/auth/users/${id}`)).headers.etag);
    const both = (await add(PNG, 'field=cv&name=a.png', elsewhere).expect(201)).body.value;
    expect(both).toEqual([
      first,
      { id: expect.any(String), name: 'a.png', type: 'png', size: PNG.length, sha256: sha256(PNG) },
    ]);
    for (const [{ id: file }, content] of [
      [both[0], pdf()],
      [both[1], PNG],
    ] as const) {
      const answer = await asBytes(operator.get(`/auth/files/${file}`));
      expect([answer.status, sha256(answer.body)]).toEqual([200, sha256(content)]);
    }
    const document = await files().findOne({ _id: new UUID(first.id as string) });
    expect(document?.metadata).toMatchObject({ state: 'whole', record: new UUID(id) });
    expect(document?.metadata).not.toHaveProperty('token');
    expect(document?.metadata).not.toHaveProperty('network');
  });

  it('is an edit: with its author, its history and its event of the audit log', { tags: 'long' }, async () => {
    const { add, operator, id, sourceAppId } = await prepare();
    const member = await joinApp(server, sourceAppId, 'editor');
    const { value } = (await add(pdf(), `field=cv&name=cv.pdf&sourceAppId=${sourceAppId}`, member.client).expect(201))
      .body;
    const { entries } = (await operator.get(`/auth/users/${id}/history`).expect(200)).body;
    expect(entries).toMatchObject([
      { by: { kind: 'edit', account: member.id }, changes: [{ path: 'data.cv', after: value }] },
    ]);
    const [event] = (await operator.get('/auth/audit?limit=1').expect(200)).body.events;
    expect(event).toMatchObject({ action: 'user.changed', target: id, actor: { id: member.id } });
    expect(JSON.stringify(event)).not.toContain('cv.pdf');
    await operator.post(`/auth/users/${id}/revert`, { revision: 1 }).expect(200);
    expect((await operator.get(`/auth/users/${id}`)).body.data).toEqual({});
  });

  it('takes the name from Content-Disposition, and files of fields of the staff', async () => {
    const { add, record } = await prepare();
    await add(Buffer.from('a note'), 'field=note')
      .set('Content-Disposition', "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt")
      .expect(201);
    expect((await record()).data.note).toMatchObject([{ name: 'größe.txt', type: 'txt' }]);
  });

  it('refuses a file too many before it is read, and of two at the same time one', async () => {
    const { add, record, sourceAppId } = await prepare();
    for (const content of [pdf('1'), pdf('2')]) await add(content).expect(201);
    const statuses = (await Promise.all([add(pdf('3')), add(pdf('4'))])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 400]);
    expect((await record()).data.cv).toHaveLength(3);
    const before = await whole(sourceAppId);
    const { body } = await add(pdf('5')).expect(400);
    expect(body.errors).toMatchObject([{ path: 'data.cv', code: 'tooManyFiles', params: { max: 3 } }]);
    expect(await whole(sourceAppId)).toBe(before);
  });

  it('adds all of several at the same time that fit, whatever else changes', async () => {
    const { add, record, operator, elsewhere, id } = await prepare();
    const [one, other, edit] = await Promise.all([
      add(pdf('1')),
      add(pdf('2'), 'field=cv&name=b.pdf', elsewhere),
      operator.patch(`/auth/users/${id}`, { set: { name: 'Ada' } }),
    ]);
    expect([one.status, other.status, edit.status]).toEqual([201, 201, 200]);
    const { data } = await record();
    expect(data.name).toBe('Ada');
    expect(data.cv.map(({ name }: { name: string }) => name).toSorted()).toEqual(['b.pdf', 'cv.pdf']);
  });

  it('refuses what a form refuses, and leaves nothing whole', async () => {
    const { add, sourceAppId, record } = await prepare();
    expect((await add(pdf(), 'field=cv&name=cv.png').expect(400)).body.code).toBe('fileType');
    expect((await add(Buffer.from('<html>'), 'field=cv&name=cv.pdf').expect(400)).body.code).toBe('fileType');
    expect((await add(pdf(), 'field=cv').expect(400)).body.code).toBe('fileName');
    await add(pdfOf(10_000_001)).expect(413);
    await add(pdf()).set('Content-Encoding', 'gzip').expect(415);
    expect((await add(pdf(), 'field=name&name=cv.pdf').expect(404)).body.code).toBe('fileFieldNotFound');
    expect((await add(pdf(), 'field=__proto__&name=cv.pdf').expect(404)).body.code).toBe('fileFieldNotFound');
    await add(pdf(), 'name=cv.pdf').expect(400);
    expect(await whole(sourceAppId)).toBe(0);
    expect((await record()).data).toEqual({});
  });

  it('takes place only in the state that If-Match names', async () => {
    const { add, operator, id } = await prepare();
    const { headers } = await operator.get(`/auth/users/${id}`).expect(200);
    await add(pdf()).set('If-Match', '"x"').expect(412);
    await add(pdf()).set('If-Match', String(headers.etag)).expect(201);
    await add(pdf()).set('If-Match', String(headers.etag)).expect(412);
  });

  it('keeps nothing of a file whose record is erased while it arrives', { tags: 'long' }, async () => {
    const { path, id, elsewhere, sourceAppId, password } = await prepare();
    const { headers } = await server.client.post('/auth/login', { sourceAppId, password }).expect(200);
    const file = pdfOf(400_000);
    const sending = request(`${server.client.url}${path}?field=cv&name=cv.pdf`, {
      method: 'POST',
      headers: { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'content-length': file.length },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.write(file.subarray(0, 300_000));
    await expect.poll(async () => (await stored(sourceAppId)).map(({ length }) => length)).toEqual([255 * 1_024]);
    const [found] = await stored(sourceAppId);
    await elsewhere.delete(`/auth/users/${id}`).expect(200);
    sending.end(file.subarray(300_000));
    const [{ statusCode }] = await answered;
    expect(statusCode).toBe(404);
    await expect.poll(() => stored(sourceAppId), { timeout: 20_000 }).toEqual([]);
    expect(await server.db.collection('files.chunks').countDocuments({ files_id: found?._id })).toBe(0);
  });

  it('needs users:write, the app of the record, and a record that exists', async () => {
    const { add, id, path, sourceAppId, operator } = await prepare();
    const other = await prepare();
    await other.operator.post(`${path}?field=cv&name=cv.pdf`, 'x').expect(404);
    await add(pdf(), 'field=cv&name=cv.pdf', new Client(server.listener.url)).expect(401);
    const viewer = await joinApp(server, sourceAppId, 'viewer');
    await add(pdf(), 'field=cv&name=cv.pdf', viewer.client).expect(403);
    const key = await createKey(server, server.admin, ['users:read', 'submit'], { sourceAppId });
    await key.send('post', `${path}?field=cv&name=cv.pdf`, 'x').expect(403);
    await operator.delete(`/auth/users/${id}`).expect(200);
    await add(pdf()).expect(404);
    expect(await whole(sourceAppId)).toBe(0);
  });
});
