import { beforeAll, describe, expect, it } from 'vitest';
import { sharedServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const storedOf = (sourceAppId: string) => server.db.collection('users').find({ sourceAppId }).toArray();

describe('POST /v1/users for an email that has a record', () => {
  it('spec 4.1, rule 2: updates that record; keeps id and createdAt, advances updatedAt', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const first = await server.client.submit(sourceAppId, { email: 'ada@x.org', data: { name: 'Ada' } }).expect(200);
    const second = await server.client.submit(sourceAppId, { email: ' ADA@X.org ', data: { name: 'B' } }).expect(200);
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.createdAt).toBe(first.body.createdAt);
    expect(Date.parse(second.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.updatedAt));
    const stored = await storedOf(sourceAppId);
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({ email: 'ada@x.org', data: { name: 'B' } });
    expect(stored[0]?.updatedAt.toISOString()).toBe(second.body.updatedAt);
  });

  it('spec 4.1, update: replaces the whole value of each field sent, keeps fields not sent', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [] });
    const data = { kept: { a: 1 }, replaced: { a: 1, b: 2 }, list: [1, 2] };
    await server.client.submit(sourceAppId, { email: 'a@x.org', data }).expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { replaced: { c: 3 }, list: [3] } }).expect(200);
    expect((await storedOf(sourceAppId))[0]?.data).toEqual({ kept: { a: 1 }, replaced: { c: 3 }, list: [3] });
  });

  it('spec 4.1, update: keeps all fields when `data` is absent', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org' }).expect(200);
    expect((await storedOf(sourceAppId))[0]?.data).toEqual({ name: 'Ada' });
  });

  it('spec 4.1, update: leaves the record unchanged when it refuses a submission', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    const before = await storedOf(sourceAppId);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { other: 'kept?', name: 7 } }).expect(400);
    expect(await storedOf(sourceAppId)).toEqual(before);
  });

  it('spec 4.1, update: sets `schemaVersion` to the version of the newest accepted submission', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    const submit = () => server.client.submit(sourceAppId, { email: 'a@x.org', data: {} });
    await submit().expect(200);
    await server.admin.putSchema(sourceAppId, { fields: [{ key: 'name', kind: 'text' }] }).expect(200);
    expect(await storedOf(sourceAppId)).toMatchObject([{ schemaVersion: 1 }]);
    await submit().expect(200);
    expect(await storedOf(sourceAppId)).toMatchObject([{ schemaVersion: 2 }]);
  });

  it('spec 4.4, rules 2 and 3: validates new submissions, but not stored data, against a new schema', async () => {
    const { sourceAppId } = await server.admin.buildApp();
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(200);
    await server.admin
      .putSchema(sourceAppId, { rejectUnknown: true, fields: [{ key: 'age', kind: 'number' }] })
      .expect(200);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { name: 'Ada' } }).expect(400);
    await server.client.submit(sourceAppId, { email: 'a@x.org', data: { age: 36 } }).expect(200);
    expect(await storedOf(sourceAppId)).toMatchObject([{ data: { name: 'Ada', age: 36 }, schemaVersion: 2 }]);
  });

  it('responds with 413 and keeps the record if it would exceed 16 MB (stored under a higher RECORD_LIMIT)', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [] });
    await server.client.submit(sourceAppId, { email: 'big@x.org', data: { small: 1 } }).expect(200);
    const users = server.db.collection('users');
    await users.updateOne({ sourceAppId }, { $set: { 'data.big': 'x'.repeat(16 * 1024 * 1024 - 50_000) } });
    const { body } = await server.client
      .submit(sourceAppId, { email: 'big@x.org', data: { small: 2, more: 'y'.repeat(60_000) } })
      .expect(413);
    expect(body).toEqual({ message: 'The record would be too large', code: 'recordTooLarge' });
    const stored = await users.findOne({ sourceAppId }, { projection: { 'data.big': 0 } });
    expect(stored?.data).toEqual({ small: 1 });
  });
});
