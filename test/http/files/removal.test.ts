import { UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileValue } from '../../support/server/files.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../../support/server/server.ts';
import {
  age,
  countChunks,
  FILE_FIELDS,
  findFile,
  type Uploaded,
  upload as uploadTo,
} from '../../support/server/uploaded.ts';

// What removes files. The tests set back the times of files: no test waits for an hour.

const HOUR_MS = 3_600_000;

let server: TestServer;
let app: string;

beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
beforeEach(async () => {
  app = (await server.admin.buildApp({ fields: FILE_FIELDS })).sourceAppId;
});
afterAll(() => server.close());

const upload = (given: Parameters<typeof uploadTo>[2] = {}): Promise<Uploaded> =>
  uploadTo(server.db, app, { bytes: 300_000, ...given });
const submit = async (data: object, email = 'ada@x.org'): Promise<string> =>
  (await server.client.submit(app, { email, data }).expect(200)).body.id;
const filesOf = async (id: string) =>
  (await server.admin.get(`/auth/users/${id}?sourceAppId=${app}`).expect(200)).body.data.cv;
const edit = (id: string, body: object) => server.admin.patch(`/auth/users/${id}?sourceAppId=${app}`, body);
const revert = (id: string, revision: number) =>
  server.admin.post(`/auth/users/${id}/revert?sourceAppId=${app}`, { revision });

/** What is left of a file: its document, and its chunks. */
const left = async (value: FileValue) => [
  (await findFile(server.db, value)) !== undefined,
  await countChunks(server.db, value),
];
const GONE = [false, 0];
const THERE = [true, 2];
const untilGone = (value: FileValue) => expect.poll(() => left(value), { timeout: 20_000 }).toEqual(GONE);
/** Waits until the cleaner has examined a file that a test made due at a time, maybe already. */
async function untilExamined(value: FileValue, due: Date | undefined) {
  expect(due && due <= new Date()).toBe(true);
  await expect
    .poll(async () => (await findFile(server.db, value))?.metadata.checkAt, { timeout: 20_000 })
    .not.toEqual(due);
}
/**
 * Lets a claim end, and the cleaner settle the file. An event of its record may set another check.
 */
async function settle(value: FileValue) {
  do await untilExamined(value, await age(server.db, value, 2 * HOUR_MS));
  while ((await findFile(server.db, value))?.metadata.claim);
}

describe('a file that nothing names', () => {
  it('is removed after its hour, and not before', async () => {
    const [old, young] = [await upload(), await upload()];
    await age(server.db, young.value, HOUR_MS - 60_000);
    await age(server.db, old.value, HOUR_MS + 1);
    await untilGone(old.value);
    expect(await left(young.value)).toEqual(THERE);
  });

  it('is removed while it arrives, with the chunks that arrive within seconds', { tags: 'long' }, async () => {
    const { value } = await upload({ state: 'arriving' });
    const file = await findFile(server.db, value);
    await age(server.db, value, HOUR_MS + 1);
    await expect.poll(() => left(value), { timeout: 20_000 }).toEqual([true, 0]);
    const late = { files_id: file?._id, n: 7, data: Buffer.from('late') };
    await server.db.collection('files.chunks').insertOne(late);
    await untilGone(value);
  });

  /** A claim of a file, as a request that was answered with 503 leaves it. */
  async function claimFor(value: FileValue, record: UUID) {
    const claim = { id: new UUID(), until: new Date(Date.now() + 15_000) };
    const due = new Date();
    const members = { 'metadata.record': record, 'metadata.claim': claim, 'metadata.checkAt': due };
    const files = server.db.collection<{ _id: UUID }>('files.files');
    await files.updateOne({ _id: new UUID(value.id) }, { $set: members });
    return due;
  }

  it.each([
    ['no record came', false],
    ['its record does not name it', true],
  ])(
    'stays after its claim while its token is good, which may be used, when %s',
    { tags: 'long' },
    async (_, isKnown) => {
      const [lost, used] = [await upload(), await upload()];
      const known = await submit({ name: 'Ada' });
      for (const { value } of [lost, used]) {
        await untilExamined(value, await claimFor(value, isKnown ? new UUID(known) : new UUID()));
        await untilExamined(value, await age(server.db, value, 40_000));
        expect(await left(value)).toEqual(THERE);
        expect((await findFile(server.db, value))?.metadata).toMatchObject({ state: 'whole' });
      }
      expect(await submit({ cv: [used.token] })).toBe(known);
      expect(await filesOf(known)).toEqual([used.value]);
      await age(server.db, lost.value, HOUR_MS);
      await untilGone(lost.value);
      await settle(used.value);
      expect(await left(used.value)).toEqual(THERE);
    },
  );

  it('is removed after its claim when it has no token: a file of the staff', async () => {
    const { value } = await upload();
    await server.db
      .collection<{ _id: UUID }>('files.files')
      .updateOne({ _id: new UUID(value.id) }, { $unset: { 'metadata.token': 1 } });
    await claimFor(value, new UUID());
    await age(server.db, value, 40_000);
    await untilGone(value);
  });

  it('stays if its record is not there, and was: a restore may bring it later', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    await submit({ cv: [token] });
    await settle(value);
    const users = server.db.collection('users');
    const restored = await users.findOneAndDelete({ sourceAppId: app });
    const due = new Date();
    await server.db
      .collection('files.files')
      .updateOne({ filename: value.name, 'metadata.appId': restored?.appId }, { $set: { 'metadata.checkAt': due } });
    await untilExamined(value, due);
    expect(await left(value)).toEqual(THERE);
    await users.insertOne(restored as never);
    expect(await filesOf(String(restored?._id))).toEqual([value]);
  });
});

describe('a file that a record names', () => {
  it('stays, and is not examined again', async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    await settle(value);
    await age(server.db, value, 10 * HOUR_MS);
    expect((await findFile(server.db, value))?.metadata).not.toHaveProperty('checkAt');
    expect(await filesOf(id)).toEqual([value]);
  });

  it('is removed when a submission replaces it', async () => {
    const [one, two] = [await upload(), await upload()];
    const id = await submit({ cv: [one.token] });
    await settle(one.value);
    await submit({ cv: [two.token] });
    await untilGone(one.value);
    expect(await filesOf(id)).toEqual([two.value]);
    expect(await left(two.value)).toEqual(THERE);
  });

  it('stays when a submission does not show its field, as the items of a list', async () => {
    const showIf = { all: [{ field: 'name', op: 'exists' }] };
    const [shows, cv] = [FILE_FIELDS[0], { ...FILE_FIELDS[1], showIf }];
    const fields = [shows, cv, { key: 'phone', kind: 'text', showIf }];
    await server.admin.putSchema(app, { fields: fields as never }).expect(200);
    const { token, value } = await upload();
    const id = await submit({ name: 'Ada', cv: [token], phone: '1' });
    await settle(value);
    expect(await submit({})).toBe(id);
    const { body } = await server.admin.get(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
    expect(body.data).toEqual({ name: 'Ada', cv: [value] });
    expect(await left(value)).toEqual(THERE);
  });

  it('is kept by an edit that names it, as an id or an object, and by one of another field', async () => {
    const files = [await upload(), await upload(), await upload()];
    const [one, two, three] = files.map(({ value }) => value);
    const id = await submit({ cv: files.map(({ token }) => token) });
    await edit(id, { set: { name: 'Ada' } }).expect(200);
    await edit(id, { set: { cv: [three, one?.id] } }).expect(200);
    expect(await filesOf(id)).toEqual([three, one]);
    const { body } = await edit(id, { set: { cv: [one?.id, one?.id, two?.id, 7] } }).expect(400);
    expect(body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['data.cv.1', 'notFileOfRecord'],
      ['data.cv.2', 'notFileOfRecord'],
      ['data.cv.3', 'notFileOfRecord'],
    ]);
    await edit(id, { set: { cv: 'none' } }).expect(400);
    const forged = { ...one, id: two?.id };
    await edit(id, { set: { cv: [{ ...forged, id: one?.id, name: 'other.pdf' }] } }).expect(200);
    expect(await filesOf(id)).toEqual([one]);
  });

  it('stays while the history names it, and a revert brings it back', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    await settle(value);
    await edit(id, { unset: ['cv'] }).expect(200);
    // The event has it examined.
    await expect
      .poll(async () => (await findFile(server.db, value))?.metadata.checkAt?.getTime(), { timeout: 20_000 })
      .toBeGreaterThan(Date.now() + HOUR_MS / 2);
    expect(await left(value)).toEqual(THERE);
    await revert(id, 1).expect(200);
    expect(await filesOf(id)).toEqual([value]);
    await settle(value);
  });

  it('is removed when the history that names it is over, and a revert is refused then', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    await settle(value);
    await edit(id, { unset: ['cv'] }).expect(200);
    await edit(id, { set: { name: 'Ada' } }).expect(200);
    await expect
      .poll(async () => (await findFile(server.db, value))?.metadata.checkAt?.getTime(), { timeout: 20_000 })
      .toBeGreaterThan(Date.now() + HOUR_MS / 2);
    const users = server.db.collection('users');
    const stored = await users.findOne({ sourceAppId: app });
    const [first] = stored?.history ?? [];
    await users.updateOne({ sourceAppId: app }, { $set: { 'history.0.changes': [] } });
    await age(server.db, value, HOUR_MS);
    await untilGone(value);
    await users.updateOne({ sourceAppId: app }, { $set: { 'history.0.changes': first.changes } });
    const { body } = await revert(id, 1).expect(409);
    expect(body.errors).toEqual([expect.objectContaining({ path: 'data.cv.0', code: 'fileGone' })]);
    expect(await filesOf(id)).toBeUndefined();
  });

  it('stays while a kept submission names it', { tags: 'long' }, async () => {
    await server.admin.put(`/auth/apps/${app}/history`, { submissions: true }).expect(200);
    const [one, two] = [await upload(), await upload()];
    await submit({ cv: [one.token] });
    await settle(one.value);
    await submit({ cv: [two.token] });
    await expect
      .poll(async () => (await findFile(server.db, one.value))?.metadata.checkAt?.getTime(), { timeout: 20_000 })
      .toBeGreaterThan(Date.now() + HOUR_MS / 2);
    const kept = server.db.collection('submissions');
    await expect.poll(() => kept.countDocuments({ sourceAppId: app }), { timeout: 10_000 }).toBe(2);
    const { body } = await server.admin.get(`/auth/submissions?sourceAppId=${app}`).expect(200);
    expect(body.submissions.map(({ data }: { data: object }) => data)).toEqual([
      { cv: [two.value] },
      { cv: [one.value] },
    ]);
    // Neither the history nor the kept submission names it any more.
    await server.db.collection('users').updateOne({ sourceAppId: app }, { $set: { history: [] } });
    await untilExamined(one.value, await age(server.db, one.value, HOUR_MS));
    expect(await left(one.value)).toEqual(THERE);
    await kept.deleteOne({ sourceAppId: app, 'data.cv.0.id': one.value.id });
    await age(server.db, one.value, HOUR_MS);
    await untilGone(one.value);
    expect(await left(two.value)).toEqual(THERE);
  });

  it('stays under any key: after a rename, a removed field, and one of another kind', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    const [name, cv] = FILE_FIELDS as [object, object];
    const path = `/auth/apps/${app}/schema`;
    const renamed = {
      rejectUnknown: false,
      fields: [name, { ...cv, key: 'resume' }],
      renames: [{ from: 'cv', to: 'resume' }],
    };
    await server.admin.put(path, renamed).expect(200);
    const stored = async () => (await server.db.collection('users').findOne({ sourceAppId: app }))?.data;
    await expect.poll(stored, { timeout: 10_000 }).toEqual({ resume: [value] });
    await settle(value);
    await server.admin.putSchema(app, { fields: [name] as never }).expect(200);
    await edit(id, { set: { name: 'Ada' } }).expect(200);
    const resume = { key: 'resume', label: 'Resume', kind: 'text', required: false };
    await server.admin.putSchema(app, { fields: [name, resume] as never }).expect(200);
    await edit(id, { set: { name: 'Eve' } }).expect(200);
    await age(server.db, value, 60_000);
    await expect
      .poll(async () => (await findFile(server.db, value))?.metadata, { timeout: 20_000 })
      .not.toHaveProperty('checkAt');
    expect(await left(value)).toEqual(THERE);
    await edit(id, { set: { resume: 'text' } }).expect(200);
    await edit(id, { unset: ['resume'] }).expect(200);
    await server.db.collection('users').updateOne({ sourceAppId: app }, { $set: { history: [] } });
    await age(server.db, value, HOUR_MS);
    await untilGone(value);
  });

  it('is brought back by the undo of a change of many records', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    await settle(value);
    const change = { ids: [id], unset: ['cv'] };
    const { body } = await server.admin.patch(`/auth/users?sourceAppId=${app}&confirm=1`, change).expect(200);
    const state = async () => (await server.admin.get(`/auth/changes/${body.id}?sourceAppId=${app}`)).body.state;
    await expect.poll(state, { timeout: 20_000 }).toBe('completed');
    expect(await filesOf(id)).toBeUndefined();
    await server.admin.post(`/auth/changes/${body.id}/undo?sourceAppId=${app}`).expect(200);
    await expect.poll(state, { timeout: 20_000 }).toBe('undone');
    expect(await filesOf(id)).toEqual([value]);
    await settle(value);
  });
});

describe('an erasure', () => {
  it('of a record leaves nothing of its files when it is answered', { tags: 'long' }, async () => {
    const [one, two] = [await upload(), await upload()];
    const id = await submit({ cv: [one.token] });
    const other = await submit({ cv: [two.token] }, 'eve@x.org');
    await server.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
    expect(await left(one.value)).toEqual(GONE);
    await settle(two.value);
    await server.admin.delete(`/auth/users/${other}?sourceAppId=${app}`).expect(200);
    expect(await left(two.value)).toEqual(GONE);
  });

  it('also removes files that only the history of the record names', { tags: 'long' }, async () => {
    const { token, value } = await upload();
    const id = await submit({ cv: [token] });
    await edit(id, { unset: ['cv'] }).expect(200);
    await server.admin.delete(`/auth/users/${id}?sourceAppId=${app}`).expect(200);
    expect(await left(value)).toEqual(GONE);
  });

  it('of a person counts the files of records and of held submissions in its receipt', { tags: 'long' }, async () => {
    const files = [await upload(), await upload(), await upload()];
    await submit({ cv: [files[0]?.token, files[1]?.token] });
    const input = { email: 'ada@x.org', data: { cv: [files[2]?.token] } };
    await server.services.submissions.submit(app, input, { via: 'form', isTrapped: true });
    expect(await server.db.collection('held_submissions').countDocuments({ email: 'ada@x.org' })).toBe(1);
    const erase = () => server.admin.post(`/auth/people/erase?sourceAppId=${app}`, { email: 'ada@x.org' });
    expect((await erase().expect(200)).body.erased).toMatchObject({ files: 3, records: 1, held: 1 });
    for (const { value } of files) expect(await left(value)).toEqual(GONE);
    expect((await erase().expect(200)).body.erased).toMatchObject({ files: 0, records: 0, held: 0 });
  });

  it('of an app leaves nothing of its files', { tags: 'long' }, async () => {
    const [one, two] = [await upload(), await upload()];
    await submit({ cv: [one.token] });
    await server.admin.delete(`/auth/apps/${app}`).expect(200);
    for (const { value } of [one, two]) expect(await left(value)).toEqual(GONE);
  });
});
