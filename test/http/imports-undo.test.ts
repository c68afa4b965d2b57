import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { appDocument } from '../support/database/index-slots.ts';
import { prepareImport, runImport, undoImport, untilUndone } from '../support/server/imports.ts';
import { createKey } from '../support/server/keys.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

const FIELDS: FieldDefinitionInput[] = [
  { key: 'name', kind: 'text' },
  { key: 'age', kind: 'number' },
  { key: 'tags', kind: 'array' },
];
const [ADA, BOB, CARL] = ['ada@example.com', 'bob@example.com', 'carl@example.com'];

const newApp = async (fields = FIELDS): Promise<string> => (await server.admin.buildApp({ fields })).sourceAppId;
const users = () => server.db.collection('users');
const imports = () => server.db.collection('imports');
const one = (sourceAppId: string, email: string) => users().findOne({ sourceAppId, email });
const dataOf = async (app: string, email: string) => (await one(app, email))?.data;
const submit = (app: string, email: string, data: object) => server.client.submit(app, { email, data }).expect(200);
const run = (app: string, file: string, settings = {}) => runImport(server.admin, app, file, settings);
const undo = (app: string, id: string) => undoImport(server.admin, app, id);
const path = (app: string, id: string) => `/auth/imports/${id}/undo?sourceAppId=${app}`;
const edit = async (app: string, email: string, set: object) =>
  server.admin.patch(`/auth/users/${(await one(app, email))?._id}?sourceAppId=${app}`, { set }).expect(200);

describe('POST /auth/imports/:id/undo', () => {
  it('erases what the import created, restores what it changed, and answers with the import', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada', tags: ['old'] });
    await submit(app, CARL, { name: 'Carl' });
    const before = await one(app, ADA);
    const { id } = await run(app, `email,name,age,tags\n${ADA},Countess,36,new\n${BOB},Bob,7,x\n${CARL},Carl,,\n`);
    const { body } = await server.admin.post(path(app, id)).expect(200);
    const none = { done: 0, restored: 0, erased: 0, kept: 0 };
    expect(body).toMatchObject({ id, state: 'completed', created: 1, updated: 1, undo: { state: 'running', ...none } });
    const done = await untilUndone(server.admin, app, id);
    expect(done).toEqual({ state: 'completed', done: 2, restored: 1, erased: 1, kept: 0 });
    expect(await one(app, BOB)).toBeNull();
    expect(await dataOf(app, ADA)).toEqual(before?.data);
    expect((await one(app, CARL))?.revision).toBeUndefined();
  });

  it('adds a revert to the history that names the import and the operator, and an event to the audit log', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada' });
    const { id } = await run(app, `email,name\n${ADA},Countess\n`);
    const key = await createKey(server, server.admin, ['import'], { sourceAppId: app });
    await key.send('post', `/auth/imports/${id}/undo`).expect(200);
    await untilUndone(server.admin, app, id);
    const history = `/auth/users/${(await one(app, ADA))?._id}/history?sourceAppId=${app}`;
    const { entries } = (await server.admin.get(history).expect(200)).body;
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      revision: 2,
      by: { kind: 'revert', import: id, key: key.id },
      changes: [{ path: 'data.name', before: 'Countess', after: 'Ada' }],
    });
    const { events } = (await server.admin.get(`/auth/audit?sourceAppId=${app}`).expect(200)).body;
    const ofUndo = { action: 'import.undone', target: id, targetKind: 'import', actor: { kind: 'key', id: key.id } };
    expect(events).toContainEqual(expect.objectContaining({ ...ofUndo, actor: expect.objectContaining(ofUndo.actor) }));
  });

  it('keeps what was changed since, and restores the other values of the same record', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada', age: 1 });
    await submit(app, CARL, { name: 'Carl' });
    const { id } = await run(app, `email,name,age\n${ADA},Countess,36\n${BOB},Bob,7\n${CARL},Charles,\n`);
    await submit(app, ADA, { age: 37 });
    await submit(app, BOB, { age: 8 });
    await edit(app, CARL, { name: 'Karl' });
    expect(await undo(app, id)).toMatchObject({ done: 3, restored: 1, erased: 0, kept: 2 });
    expect(await dataOf(app, ADA)).toEqual({ name: 'Ada', age: 37 });
    expect(await dataOf(app, BOB)).toEqual({ name: 'Bob', age: 8 });
    expect(await dataOf(app, CARL)).toEqual({ name: 'Karl' });
  });

  it('keeps a record that was submitted again with the same values', async () => {
    const app = await newApp();
    const { id } = await run(app, `email,name\n${ADA},Ada\n`);
    await submit(app, ADA, { name: 'Ada' });
    expect(await undo(app, id)).toMatchObject({ erased: 0, kept: 1 });
    expect(await dataOf(app, ADA)).toEqual({ name: 'Ada' });
  });

  it.each([
    ['values', { $set: { 'data.age': 7 } }],
    ['a consent', { $set: { consents: [], consentState: {} } }],
    ['an idempotency key', { $set: { keyEpoch: 1 } }],
    ['an event', { $inc: { eventCount: 2 } }],
  ])('keeps a record to which a submission with an earlier time left %s', async (_, update) => {
    const app = await newApp();
    const { id } = await run(app, `email,name\n${ADA},Ada\n`);
    // Such a submission changes neither the times of a record nor its history.
    await users().updateOne({ sourceAppId: app, email: ADA }, update);
    expect(await undo(app, id)).toMatchObject({ erased: 0, kept: 1 });
    expect(await one(app, ADA)).not.toBeNull();
  });

  it('erases a person that several lines created and changed, and restores one that they changed', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada', tags: ['old'] });
    const before = await dataOf(app, ADA);
    const lines = [`${ADA},A1,x`, `${BOB},B1,x`, `${ADA},A2,y`, `${BOB},B2,y`, `${BOB},,z`];
    const { id } = await run(app, `email,name,tags\n${lines.join('\n')}\n`);
    expect(await undo(app, id)).toMatchObject({ done: 2, restored: 1, erased: 1, kept: 0 });
    expect(await one(app, BOB)).toBeNull();
    expect(await dataOf(app, ADA)).toEqual(before);
  });

  it('erases a person whose later lines began a list', async () => {
    const app = await newApp();
    const { id } = await run(app, `email,name,tags\n${ADA},A,\n${ADA},,x\n`);
    expect(await undo(app, id)).toMatchObject({ erased: 1, kept: 0 });
  });

  it('keeps a person that another import changed, and counts it', async () => {
    const app = await newApp();
    const first = await run(app, `email,name\n${ADA},Ada\n${BOB},Bob\n`);
    const second = await run(app, `email,name\n${ADA},Countess\n`);
    expect(await undo(app, first.id)).toMatchObject({ done: 2, restored: 0, erased: 1, kept: 1 });
    expect(await undo(app, second.id)).toMatchObject({ done: 1, restored: 1, erased: 0, kept: 0 });
    expect(await dataOf(app, ADA)).toEqual({ name: 'Ada' });
  });

  it('counts nobody who was erased since, also if the person came back', async () => {
    const app = await newApp();
    for (const email of [ADA, BOB]) await submit(app, email, { name: 'x' });
    const { id } = await run(app, `email,name\n${ADA},Ada\n${BOB},Bob\n${CARL},Carl\n`);
    for (const email of [ADA, CARL])
      await server.admin.post(`/auth/people/erase?sourceAppId=${app}`, { email }).expect(200);
    await submit(app, CARL, { name: 'Carl' });
    expect(await undo(app, id)).toMatchObject({ done: 1, restored: 1, erased: 0, kept: 0 });
    expect(await dataOf(app, CARL)).toEqual({ name: 'Carl' });
  });

  it('follows renames of fields', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada', age: 1 });
    const { id } = await run(app, `email,age,name\n${ADA},36,Countess\n${BOB},7,Bob\n`);
    const fields = [{ key: 'fullName', kind: 'text' }, ...FIELDS.slice(1)];
    const renames = [{ from: 'name', to: 'fullName' }];
    await server.admin.put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields, renames }).expect(200);
    expect(await undo(app, id)).toMatchObject({ done: 2, restored: 1, erased: 1, kept: 0 });
    expect(await dataOf(app, ADA)).toEqual({ fullName: 'Ada', age: 1 });
  });

  it('finds entries that were moved out of the record', async () => {
    const app = await newApp();
    await submit(app, ADA, { name: 'Ada' });
    const { id } = await run(app, `email,name\n${ADA},Countess\n`);
    for (let age = 0; age < 17; age += 1) await edit(app, ADA, { age });
    expect((await one(app, ADA))?.movedHistory).toBe(true);
    expect(await undo(app, id)).toMatchObject({ done: 1, restored: 1 });
    expect(await dataOf(app, ADA)).toEqual({ name: 'Ada', age: 16 });
  });

  it('keeps values whose entry is not kept, or that the newest schema refuses', async () => {
    const app = await newApp();
    for (const email of [ADA, BOB]) await submit(app, email, { name: 'x' });
    const { id } = await run(app, `email,name\n${ADA},Ada\n${BOB},Bob\n`);
    await users().updateOne({ sourceAppId: app, email: ADA }, { $unset: { history: 1 } });
    const fields = [{ key: 'name', kind: 'text', minLength: 2 }, ...FIELDS.slice(1)];
    await server.admin.put(`/auth/apps/${app}/schema`, { rejectUnknown: false, fields }).expect(200);
    expect(await undo(app, id)).toMatchObject({ done: 2, restored: 0, erased: 0, kept: 2 });
    expect(await dataOf(app, BOB)).toEqual({ name: 'Bob' });
  });

  it('erases as any erasure: webhooks get the event', async () => {
    const app = await newApp();
    const hook = { url: 'https://hooks.example.com/', events: ['user.erased'] };
    await server.admin.post(`/auth/webhooks?sourceAppId=${app}`, hook).expect(200);
    const { id } = await run(app, `email,name\n${ADA},Ada\n`);
    const record = await one(app, ADA);
    expect(await undo(app, id)).toMatchObject({ erased: 1, kept: 0 });
    const { _id: appId } = await appDocument(server, app);
    const events = () => server.db.collection('deliveries').find({ appId }).toArray();
    await expect.poll(events).toHaveLength(1);
    expect(JSON.stringify(await events())).toContain(String(record?._id));
  });

  it('answers 409 while the import runs, for a second undo, a dry run, and 30 days after the end', async () => {
    const app = await newApp();
    const waiting = await prepareImport(server.admin, app, `email\n${ADA}\n`);
    const refused = async (id: string, code: string) =>
      expect((await server.admin.post(path(app, id)).expect(409)).body.code).toBe(code);
    await refused(waiting, 'importNotEnded');
    const dry = await run(app, `email\n${ADA}\n`, { dryRun: true });
    await refused(dry.id, 'importDryRun');
    const { id } = await run(app, `email\n${ADA}\n`);
    const _id = new ObjectId(id);
    const endedAt = new Date(Date.now() - 30 * 24 * 60 * 60 * 1_000);
    const before = (await imports().findOne({ _id }))?.endedAt;
    await imports().updateOne({ _id }, { $set: { endedAt } });
    await refused(id, 'importTooOld');
    await imports().updateOne({ _id }, { $set: { endedAt: before } });
    const answers = await Promise.all([1, 2].map(() => server.admin.post(path(app, id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await untilUndone(server.admin, app, id);
    await refused(id, 'importUndone');
    await server.admin.post(path(app, new ObjectId().toHexString())).expect(404);
    await server.admin.post(path(app, 'x')).expect(404);
  });

  it('waits until the last batch of an import that failed cannot be written any more', async () => {
    const app = await newApp();
    const { id } = await run(app, `email\n${ADA}\n`);
    const failed = (endedMs: number) => ({ state: 'failed', runner: 1, endedAt: new Date(Date.now() - endedMs) });
    await imports().updateOne({ _id: new ObjectId(id) }, { $set: failed(0) });
    expect((await server.admin.post(path(app, id)).expect(409)).body.code).toBe('importNotEnded');
    await imports().updateOne({ _id: new ObjectId(id) }, { $set: failed(75_000) });
    expect(await undo(app, id)).toMatchObject({ erased: 1 });
  });

  it('needs the scope import of the app', async () => {
    const app = await newApp();
    const { id } = await run(app, `email\n${ADA}\n`);
    const key = await createKey(server, server.admin, ['users:write'], { sourceAppId: app });
    await key.send('post', `/auth/imports/${id}/undo`).expect(403);
    const other = await newApp();
    await server.admin.post(path(other, id)).expect(404);
  });
});
