import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
let lists: TestApp;
beforeAll(async () => {
  server = await startServer({ MAX_ARRAY_ITEMS: '30' });
  lists = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterAll(() => server.close());

let personCount = 0;
/** Returns a new email with functions that submit for it and read its stored record. */
function newPerson({ sourceAppId }: TestApp = lists) {
  personCount += 1;
  const email = `person${personCount}@x.org`;
  const stored = () => server.db.collection('users').findOne({ sourceAppId, email });
  const send = (data: object) => server.client.submit(sourceAppId, { email, data });
  return {
    send,
    submit: (key: string, list: unknown) => send({ list }).set('Idempotency-Key', key),
    stored,
    values: async () => (await stored())?.data.list.map(({ value }: { value: unknown }) => value),
  };
}

describe('invariant 3: Idempotency-Key', () => {
  it('returns the same id and createdAt for a repeat and applies it once', async () => {
    const person = newPerson();
    const first = await person.submit('key', [1]).expect(200);
    const repeat = await person.submit('key', [1]).expect(200);
    expect(repeat.body.id).toBe(first.body.id);
    expect(repeat.body.createdAt).toBe(first.body.createdAt);
    expect(await person.values()).toEqual([1]);
  });

  it('applies concurrent repeats once', { tags: 'long' }, async () => {
    for (let round = 0; round < 20; round += 1) {
      const person = newPerson();
      const answers = await Promise.all(Array.from({ length: 8 }, () => person.submit('key', [round])));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await person.values()).toEqual([round]);
    }
  });

  it('recognizes a repeat after other submissions for the same person', async () => {
    const person = newPerson();
    await person.submit('first', ['first']).expect(200);
    for (let other = 0; other < 10; other += 1) await person.submit(`other-${other}`, [other]).expect(200);
    await person.submit('first', ['first']).expect(200);
    expect(await person.values()).toEqual(['first', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('responds with 422 to a used key with different data and changes nothing', async () => {
    const person = newPerson();
    await person.submit('key', [1]).expect(200);
    const { body } = await person.submit('key', [2]).expect(422);
    expect(body).toEqual({ message: 'This Idempotency-Key was used for a different submission', code: 'keyReused' });
    expect(await person.values()).toEqual([1]);
  });

  it('applies the same data again under another key and without a key', async () => {
    const person = newPerson();
    await person.submit('one', [1]).expect(200);
    await person.submit('two', [1]).expect(200);
    await person.send({ list: [1] }).expect(200);
    expect(await person.values()).toEqual([1, 1, 1]);
  });

  it('treats one key for two people as two submissions', async () => {
    const [one, two] = [newPerson(), newPerson()];
    await one.submit('key', [1]).expect(200);
    await two.submit('key', [2]).expect(200);
    expect(await one.values()).toEqual([1]);
    expect(await two.values()).toEqual([2]);
  });

  it('recognizes a repeat when the array is full', async () => {
    const person = newPerson();
    await person.submit('key', Array(30).fill('x')).expect(200);
    await person.submit('key', Array(30).fill('x')).expect(200);
    await person.submit('other', ['x']).expect(409);
    expect(await person.values()).toHaveLength(30);
  });

  it('does not record the key of a refused submission', async () => {
    const person = newPerson();
    await person.submit('key', 'no list').expect(400);
    await person.submit('key', [1]).expect(200);
    expect(await person.values()).toEqual([1]);
  });

  it.each([
    ['a space', 'a b'],
    ['256 characters', 'k'.repeat(256)],
    ['no characters', ''],
  ])('responds to a key with %s with 400 and stores nothing', async (_name, key) => {
    const person = newPerson();
    const { body } = await person.submit(key, [1]).expect(400);
    expect(body.message).toBe('Invalid request headers');
    expect(await person.stored()).toBeNull();
  });

  it('omits keys and internal fields from listings', async () => {
    const person = newPerson();
    await person.submit('a-key-to-look-for', [1]).expect(200);
    const { text, body } = await server.admin.get(`/auth/admin/users?sourceAppId=${lists.sourceAppId}`).expect(200);
    expect(body.users.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/a-key-to-look-for|appliedKeys|arraySizes/);
  });
});
