import { UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import { age, FILE_FIELDS, findFile, type Uploaded, upload as uploadTo } from '../../support/server/uploaded.ts';

// The documents of uploaded files are stored by the tests; what names them is sent by HTTP.

let server: TestServer;
let other: TestServer;
let app: string;

beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
  other = await startServer({}, server.database, QUICK_JOBS);
});
beforeEach(async () => {
  app = (await server.admin.buildApp({ fields: FILE_FIELDS })).sourceAppId;
});
afterAll(async () => {
  await other.close();
  await server.close();
});

const upload = (given: Parameters<typeof uploadTo>[2] = {}): Promise<Uploaded> => uploadTo(server.db, app, given);
const submit = (data: object, email = 'ada@x.org') => server.client.submit(app, { email, data });
const record = async (id: string) => (await server.admin.get(`/auth/users/${id}?sourceAppId=${app}`).expect(200)).body;
const refusal = (path: string) => expect.objectContaining({ path, code: 'fileToken' });

describe('a submission with tokens', () => {
  it('stores the files of a new person', async () => {
    const [one, two] = [await upload(), await upload({ name: 'b.pdf' })];
    const { body } = await submit({ cv: [one.token, two.token] }).expect(200);
    const { data } = await record(body.id);
    expect(data.cv).toEqual([one.value, two.value]);
    expect(String((await findFile(server.db, one.value))?.metadata.record)).toBe(body.id);
  });

  it('replaces the files of a known person, and an empty list empties them', async () => {
    const [one, two] = [await upload(), await upload()];
    const { body } = await submit({ name: 'Ada', cv: [one.token] }).expect(200);
    await submit({ cv: [two.token] }).expect(200);
    expect((await record(body.id)).data).toEqual({ name: 'Ada', cv: [two.value] });
    await submit({ cv: [] }).expect(200);
    expect((await record(body.id)).data).toEqual({ name: 'Ada', cv: [] });
  });

  it.each([
    ['a list of other values', [7], 'data.cv.0'],
    ['no list', 'token', 'data.cv'],
    ['null', null, 'data.cv'],
    ['an unknown token', ['x'.repeat(43)], 'data.cv.0'],
    ['a very long one', ['x'.repeat(5_000)], 'data.cv.0'],
    ['a value of a record', [{ id: 'x', name: 'x', type: 'pdf', size: 1, sha256: 'x' }], 'data.cv.0'],
  ])('is refused with %s', async (_what, cv, path) => {
    const { body } = await submit({ cv }).expect(400);
    expect(body.errors).toEqual([refusal(path)]);
  });

  it('is refused with a token of another field, of another app, or whose hour is over', async () => {
    const foreign = await server.admin.buildApp({ fields: FILE_FIELDS });
    const files = [
      await upload({ field: 'photo' }),
      await uploadTo(server.db, foreign.sourceAppId),
      await upload({ expiresAt: new Date(Date.now() - 1_000), checkAt: new Date(Date.now() + 60_000) }),
    ];
    const { body } = await submit({ cv: files.map(({ token }) => token) }).expect(400);
    expect(body.errors).toEqual([refusal('data.cv.0'), refusal('data.cv.1'), refusal('data.cv.2')]);
  });

  it('has them under the present key of the field that they were sent for, and under no other', {
    tags: 'long',
  }, async () => {
    const [name, cv] = FILE_FIELDS;
    const under = (...keys: string[]) => [name ?? {}, ...keys.map((key) => ({ ...cv, key }))];
    const path = `/auth/apps/${app}/schema`;
    const put = (fields: object[], to?: string) =>
      server.admin.put(path, { rejectUnknown: true, fields, ...(to && { renames: [{ from: 'cv', to }] }) });
    await put(under('resume'), 'resume').expect(200);
    // The key is free when the values have moved.
    await expect.poll(async () => (await put(under('resume', 'cv'))).status).toBe(200);
    const version = (await server.admin.get(path).expect(200)).body.version;
    const [own, other, old] = [await upload({ version }), await upload({ version }), await upload({ version: 1 })];
    await put(under('resume', 'letter'), 'letter').expect(200);
    expect((await submit({ resume: [other.token] }).expect(400)).body.errors).toEqual([refusal('data.resume.0')]);
    const { body } = await submit({ letter: [own.token], resume: [old.token] }).expect(200);
    expect((await record(body.id)).data).toMatchObject({ letter: [own.value], resume: [old.value] });
  });

  it('is refused with a file that has not arrived', async () => {
    const { token } = await upload({ state: 'arriving' });
    expect((await submit({ cv: [token] }).expect(400)).body.errors).toEqual([refusal('data.cv.0')]);
  });

  it('is refused with a token twice, and with a used one', async () => {
    const { token } = await upload();
    expect((await submit({ cv: [token, token] }).expect(400)).body.errors).toEqual([refusal('data.cv.1')]);
    await submit({ cv: [token] }).expect(200);
    expect((await submit({ cv: [token] }).expect(400)).body.errors).toEqual([refusal('data.cv.0')]);
    expect((await submit({ cv: [token] }, 'eve@x.org').expect(400)).body.errors).toEqual([refusal('data.cv.0')]);
  });

  it('has the other problems beside those of tokens, and the problem of a type', async () => {
    const { token } = await upload({ type: 'zip' });
    const { body } = await submit({ name: 7, cv: ['no', token] }).expect(400);
    expect(body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['data.cv.0', 'fileToken'],
      ['data.name', 'notText'],
    ]);
    const typed = (await submit({ cv: [token] }).expect(400)).body.errors;
    expect(typed).toEqual([expect.objectContaining({ code: 'fileType' })]);
  });

  it('is refused with a file that is larger than the field allows now', async () => {
    const { token, value } = await upload();
    const setFields = (fields: typeof FILE_FIELDS) =>
      server.admin.put(`/auth/apps/${app}/schema`, { rejectUnknown: true, fields }).expect(200);
    await setFields(
      FILE_FIELDS.map((field) => (field.kind === 'file' ? { ...field, maxBytes: value.size - 1 } : field)),
    );
    const { errors } = (await submit({ cv: [token] }).expect(400)).body;
    expect(errors).toEqual([expect.objectContaining({ path: 'data.cv.0', code: 'fileTooLarge' })]);
    await setFields(FILE_FIELDS);
    await submit({ cv: [token] }).expect(200);
  });

  it('leaves the token when it is refused', async () => {
    const { token, value } = await upload();
    await server.admin.put(`/auth/apps/${app}/form`, { maxRecords: 1 }).expect(200);
    await submit({ name: 'first' }, 'first@x.org').expect(200);
    await submit({ cv: [token] }).expect(403);
    const { body } = await submit({ cv: [token] }, 'first@x.org').expect(200);
    expect((await record(body.id)).data.cv).toEqual([value]);
  });

  it('frees the token when it is refused after its claim', async () => {
    const { token, value } = await upload();
    await submit({ name: 'Ada' }).set('idempotency-key', 'used').expect(200);
    await submit({ cv: [token] })
      .set('idempotency-key', 'used')
      .expect(422);
    const { body } = await submit({ cv: [token] }, 'eve@x.org').expect(200);
    expect((await record(body.id)).data.cv).toEqual([value]);
  });

  it('is answered as before when it is repeated with its key, also by another server', async () => {
    const { token, value } = await upload();
    const send = (to: TestServer, cv = token) =>
      to.client.submit(app, { email: 'ada@x.org', data: { cv: [cv] } }).set('idempotency-key', 'k1');
    const first = await send(server).expect(200);
    expect((await send(other).expect(200)).body).toEqual(first.body);
    await send(server, (await upload()).token).expect(422);
    expect((await record(first.body.id)).data.cv).toEqual([value]);
  });

  it('gives a token to one of many at once', { tags: 'long' }, async () => {
    const { token } = await upload();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (n % 2 ? server : other).client.submit(app, { email: `p${n}@x.org`, data: { cv: [token] } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const naming = await server.db
      .collection('users')
      .countDocuments({ sourceAppId: app, 'data.cv.0': { $exists: true } });
    expect(naming).toBe(1);
    expect(answers.every(({ status }) => [200, 400, 503].includes(status))).toBe(true);
  });

  it('is stored once when it is sent twice at once with a key', async () => {
    const { token } = await upload();
    const send = (to: TestServer) =>
      to.client.submit(app, { email: 'ada@x.org', data: { cv: [token] } }).set('idempotency-key', 'twice');
    const answers = await Promise.all([send(server), send(other), send(server)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });
});

it('a claim whose write never came is over after 20 s', { tags: 'long' }, async () => {
  const { token, value } = await upload();
  const lost = { record: new UUID(), claim: { id: new UUID(), until: new Date(Date.now() + 15_000) } };
  const file = await findFile(server.db, value);
  const set = { 'metadata.record': lost.record, 'metadata.claim': lost.claim };
  await server.db.collection('files.files').updateOne({ _id: file?._id } as never, { $set: set });
  // A known person: the record that the claim names may be that of somebody else.
  await submit({ name: 'Ada' }).expect(200);
  // On a slow machine the first one may be answered before it has ended, and store the file.
  const send = () => submit({ cv: [token] }).set('idempotency-key', 'k1');
  await send().expect(503);
  await age(server.db, value, 21_000);
  const { body } = await send().expect(200);
  expect((await record(body.id)).data.cv).toEqual([value]);
});

it('the id that a lost request chose for a new record is used by its repeat', async () => {
  const { token, value } = await upload();
  const lost = { record: new UUID(), claim: { id: new UUID(), until: new Date(Date.now() + 15_000) } };
  const file = await findFile(server.db, value);
  const set = { 'metadata.record': lost.record, 'metadata.claim': lost.claim };
  await server.db.collection('files.files').updateOne({ _id: file?._id } as never, { $set: set });
  const { body } = await submit({ cv: [token] }).expect(200);
  expect(body.id).toBe(lost.record.toString());
});
