import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const MAX = 5;
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let server: TestServer;
let lists: TestApp;
beforeAll(async () => {
  server = await startServer({ MAX_ARRAY_ITEMS: String(MAX) });
  lists = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterAll(() => server.close());

let personCount = 0;
/** Returns a new email with functions that submit for it and read its stored record. */
function newPerson({ sourceAppId }: TestApp = lists) {
  personCount += 1;
  const email = `person${personCount}@x.org`;
  const stored = () => server.db.collection('users').findOne({ sourceAppId, email });
  return {
    email,
    submit: (data: object) => server.client.submit(sourceAppId, { email, data }),
    stored,
    data: async () => (await stored())?.data,
  };
}

describe('Array fields (spec 2.4)', () => {
  it('spec 2.4, rules 1 to 4: adds a timestamp to each item; stores primitives as { value, timestamp }, {} as { timestamp }', async () => {
    const person = newPerson();
    await person.submit({ list: [{ a: 1, deep: { b: [2] } }, 'text', 7, false, {}] }).expect(200);
    expect((await person.data())?.list).toEqual([
      { a: 1, deep: { b: [2] }, timestamp: TIMESTAMP },
      { value: 'text', timestamp: TIMESTAMP },
      { value: 7, timestamp: TIMESTAMP },
      { value: false, timestamp: TIMESTAMP },
      { timestamp: TIMESTAMP },
    ]);
  });

  it('spec 4.1, rule 3, and 2.4, rule 5: appends items in order on update and replaces none', async () => {
    const person = newPerson();
    await person.submit({ list: [1, 2] }).expect(200);
    await person.submit({ list: [3] }).expect(200);
    await person.submit({ list: [] }).expect(200);
    const { list } = (await person.data()) ?? {};
    expect(list.map(({ value }: { value: number }) => value)).toEqual([1, 2, 3]);
  });

  it('spec 2.4, rule 5: keeps the items on an update without the field; stores an empty array for a first []', async () => {
    const person = newPerson();
    await person.submit({ list: [] }).expect(200);
    expect(await person.data()).toEqual({ list: [] });
    await person.submit({ list: [1] }).expect(200);
    await person.submit({}).expect(200);
    expect((await person.data())?.list).toHaveLength(1);
  });

  it("spec 2.4, array items: replaces a submitted timestamp with the service's own", async () => {
    const person = newPerson();
    const { body } = await person.submit({ list: [{ timestamp: '1999-01-01T00:00:00.000Z' }] }).expect(200);
    expect((await person.data())?.list).toEqual([{ timestamp: body.createdAt }]);
  });

  it('spec 2.4, array items: stores null and nested arrays as { value, timestamp }', async () => {
    const person = newPerson();
    await person.submit({ list: [null, [1, [2]]] }).expect(200);
    expect((await person.data())?.list).toEqual([
      { value: null, timestamp: TIMESTAMP },
      { value: [1, [2]], timestamp: TIMESTAMP },
    ]);
  });

  it.each([
    ['$', '[{"$inc":1}]'],
    ['a dot', '[{"a.b":1}]'],
    ['NUL', '[{"a\\u0000":1}]'],
    ['__proto__', '[{"__proto__":{"admin":true}}]'],
    ['$ at a deeper level', '[1,{"a":[[{"b":{"$x":1}}]]}]'],
  ])('spec 2.4, array items: responds to a key with %s with 400 and stores nothing', async (_name, list) => {
    const person = newPerson();
    const { body } = await server.client
      .submit(lists.sourceAppId, `{"email":"${person.email}","data":{"list":${list}}}`)
      .set('Content-Type', 'application/json')
      .expect(400);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].path).toMatch(/^data\.list\./);
    expect(await person.data()).toBeUndefined();
  });

  it('spec 2.4: keeps a stored value as the first item when its field becomes an array field', async () => {
    const app = await server.admin.buildApp({ fields: [] });
    const values = ['before', { a: 1 }, null, 0, false];
    const persons = values.map((value) => ({ value, person: newPerson(app) }));
    for (const { value, person } of persons) await person.submit({ list: value }).expect(200);
    await server.admin.putSchema(app.sourceAppId, { fields: [{ key: 'list', kind: 'array' }] }).expect(200);
    for (const { value, person } of persons) {
      await person.submit({ list: ['after'] }).expect(200);
      const first = { value, timestamp: TIMESTAMP };
      expect((await person.data())?.list).toEqual([first, { value: 'after', timestamp: TIMESTAMP }]);
    }
  });
});

describe('spec 2.4, array full', () => {
  it('responds with 409 to one item over MAX_ARRAY_ITEMS and keeps the record unchanged', async () => {
    const person = newPerson();
    await person.submit({ list: [1, 2, 3] }).expect(200);
    const before = await person.stored();
    const { body } = await person.submit({ list: [4, 5, 6], name: 'changed' }).expect(409);
    expect(body).toEqual({
      message: 'data.list is full: it holds at most 5 items',
      code: 'listFull',
      params: { path: 'data.list', max: 5 },
    });
    expect(await person.stored()).toEqual(before);
    await person.submit({ list: [4, 5] }).expect(200);
    await person.submit({ list: [6] }).expect(409);
    expect((await person.data())?.list).toHaveLength(MAX);
  });

  it('responds with 409 to a first submission with too many items and creates no record', async () => {
    const person = newPerson();
    await person.submit({ list: [1, 2, 3, 4, 5, 6] }).expect(409);
    expect(await person.data()).toBeUndefined();
  });

  it('accepts changes of other fields while an array is full', async () => {
    const person = newPerson();
    await person.submit({ list: [1, 2, 3, 4, 5] }).expect(200);
    await person.submit({ name: 'Ada', list: [] }).expect(200);
    expect(await person.data()).toMatchObject({ name: 'Ada' });
  });

  it('accepts exactly as many concurrent submissions as the array has room for', async () => {
    const person = newPerson();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, item) => person.submit({ list: [item] })));
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(accepted).toBe(MAX);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(12 - MAX);
    expect((await person.data())?.list).toHaveLength(MAX);
  });

  it('counts the items of an array that was stored before the schema declared the field', async () => {
    const app = await server.admin.buildApp({ fields: [] });
    const person = newPerson(app);
    await person.submit({ list: [1, 2, 3, 4] }).expect(200);
    await server.admin.putSchema(app.sourceAppId, { fields: [{ key: 'list', kind: 'array' }] }).expect(200);
    await person.submit({ list: [5, 6] }).expect(409);
    await person.submit({ list: [5] }).expect(200);
    expect((await person.data())?.list).toHaveLength(MAX);
  });

  it('counts the items of an array that was replaced while the schema did not declare the field', async () => {
    const app = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const person = newPerson(app);
    await person.submit({ list: [1, 2, 3, 4, 5] }).expect(200);
    await server.admin.putSchema(app.sourceAppId, { fields: [] }).expect(200);
    await person.submit({ list: [] }).expect(200);
    await server.admin.putSchema(app.sourceAppId, { fields: [{ key: 'list', kind: 'array' }] }).expect(200);
    await person.submit({ list: [1] }).expect(200);
  });
});
