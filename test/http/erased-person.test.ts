import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/server/client.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

let first: TestServer;
let second: TestServer;
beforeAll(async () => {
  first = await sharedServer();
  second = await startServer({}, first.database);
});
afterAll(() => second.close());

/**
 * Each server caches the ids of recent records. A record that another server erased or created
 * again makes a cached id stale.
 */
describe('A submission for a person whose record was erased', () => {
  async function newPerson() {
    const { sourceAppId, password } = await first.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const operator = await new Client(second.client.url).logIn(sourceAppId, password);
    const submit = (server: TestServer, data: object) =>
      server.client.submit(sourceAppId, { email: 'ada@x.org', data });
    const stored = () => first.db.collection('users').find({ sourceAppId }).toArray();
    return { operator, submit, stored };
  }

  it('creates a new record with a new id', async () => {
    const { operator, submit, stored } = await newPerson();
    const { body: old } = await submit(first, { list: [1] }).expect(200);
    await operator.delete(`/auth/users/${old.id}`).expect(200);
    const { body: created } = await submit(first, { list: [2] }).expect(200);
    expect(created.id).not.toBe(old.id);
    expect(await stored()).toMatchObject([{ data: { list: [{ value: 2 }] }, createdAt: new Date(created.createdAt) }]);
    expect((await stored())[0]?._id.toString()).toBe(created.id);
  });

  it('returns the id of the new record when another server created it', async () => {
    const { operator, submit, stored } = await newPerson();
    const { body: old } = await submit(first, { list: [1] }).expect(200);
    await operator.delete(`/auth/users/${old.id}`).expect(200);
    const { body: created } = await submit(second, { list: [2] }).expect(200);
    const { body: updated } = await submit(first, { list: [3] }).expect(200);
    expect(updated).toMatchObject({ id: created.id, createdAt: created.createdAt });
    expect(await stored()).toMatchObject([{ data: { list: [{ value: 2 }, { value: 3 }] } }]);
  });

  it('creates a record of the new incarnation of an app that was deleted and created again', async () => {
    const schema = { fields: [{ key: 'list', kind: 'array' as const }] };
    const { sourceAppId } = await first.admin.buildApp(schema);
    const submit = (server: TestServer, list: number[]) =>
      server.client.submit(sourceAppId, { email: 'ada@x.org', data: { list } }).expect(200);
    const { body: old } = await submit(first, [1]);
    await first.admin.delete(`/auth/apps/${sourceAppId}`).expect(200);
    await first.admin.post('/auth/apps', { sourceAppId }).expect(200);
    await first.admin.putSchema(sourceAppId, schema).expect(200);
    const { body: created } = await submit(first, [2]);
    expect(created.id).not.toBe(old.id);
    await submit(second, [3]);
    const [record, ...more] = await first.db.collection('users').find({ sourceAppId }).toArray();
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      data: { list: [{ value: 2 }, { value: 3 }] },
      createdAt: new Date(created.createdAt),
    });
    expect(record?._id.toString()).toBe(created.id);
  });

  it('stores one record with all items for concurrent, batched submissions', { tags: 'long' }, async () => {
    const { operator, submit, stored } = await newPerson();
    const { body: old } = await submit(first, { list: [0] }).expect(200);
    await operator.delete(`/auth/users/${old.id}`).expect(200);
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(
      numbers.map((n) => submit(n % 2 === 0 ? first : second, { list: [n] }).expect(200)),
    );
    const [record, ...more] = await stored();
    expect(more).toEqual([]);
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([record?._id.toString()]));
    const items = record?.data.list.map(({ value }: { value: number }) => value).sort((a: number, b: number) => a - b);
    expect(items).toEqual(numbers);
  });
});
