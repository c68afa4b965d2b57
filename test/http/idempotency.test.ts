import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let lists: TestApp;
beforeAll(async () => {
  server = await startServer({ MAX_ARRAY_ITEMS: '30' });
  lists = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterAll(() => server.close());

let people = 0;
/** A person without a record yet, with ways to submit for them and to see what is stored. */
function newPerson({ sourceAppId }: TestApp = lists) {
  people += 1;
  const email = `person${people}@x.org`;
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
  it('a repeat answers like the first and is applied once', async () => {
    const person = newPerson();
    const first = await person.submit('key', [1]).expect(200);
    const repeat = await person.submit('key', [1]).expect(200);
    expect(repeat.body.id).toBe(first.body.id);
    expect(repeat.body.createdAt).toBe(first.body.createdAt);
    expect(await person.values()).toEqual([1]);
  });

  it('repeats sent at the same time are applied once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const person = newPerson();
      const answers = await Promise.all(Array.from({ length: 8 }, () => person.submit('key', [round])));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await person.values()).toEqual([round]);
    }
  });

  it('a repeat is still known after other submissions of the same person', async () => {
    const person = newPerson();
    await person.submit('first', ['first']).expect(200);
    for (let other = 0; other < 10; other += 1) await person.submit(`other-${other}`, [other]).expect(200);
    await person.submit('first', ['first']).expect(200);
    expect(await person.values()).toEqual(['first', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('the same key with other data is 422 and changes nothing', async () => {
    const person = newPerson();
    await person.submit('key', [1]).expect(200);
    const { body } = await person.submit('key', [2]).expect(422);
    expect(body).toEqual({ message: 'This Idempotency-Key was used for a different submission' });
    expect(await person.values()).toEqual([1]);
  });

  it('the same data under another key, or under none, is another submission', async () => {
    const person = newPerson();
    await person.submit('one', [1]).expect(200);
    await person.submit('two', [1]).expect(200);
    await person.send({ list: [1] }).expect(200);
    expect(await person.values()).toEqual([1, 1, 1]);
  });

  it('one key serves two persons', async () => {
    const [one, two] = [newPerson(), newPerson()];
    await one.submit('key', [1]).expect(200);
    await two.submit('key', [2]).expect(200);
    expect(await one.values()).toEqual([1]);
    expect(await two.values()).toEqual([2]);
  });

  it('a repeat is known although the array has become full', async () => {
    const person = newPerson();
    await person.submit('key', Array(30).fill('x')).expect(200);
    await person.submit('key', Array(30).fill('x')).expect(200);
    await person.submit('other', ['x']).expect(409);
    expect(await person.values()).toHaveLength(30);
  });

  it('a refused submission does not use its key up', async () => {
    const person = newPerson();
    await person.submit('key', 'no list').expect(400);
    await person.submit('key', [1]).expect(200);
    expect(await person.values()).toEqual([1]);
  });

  it.each([
    ['a blank', 'a b'],
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
  ])('a key with %s is 400 and nothing is stored', async (_what, key) => {
    const person = newPerson();
    const { body } = await person.submit(key, [1]).expect(400);
    expect(body.message).toBe('Invalid request headers');
    expect(await person.stored()).toBeNull();
  });

  it('keys are kept for the service alone: no listing shows them', async () => {
    const person = newPerson();
    await person.submit('a-key-to-look-for', [1]).expect(200);
    const { text, body } = await server.admin.get(`/auth/admin/users?sourceAppId=${lists.sourceAppId}`).expect(200);
    expect(body.users.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/a-key-to-look-for|appliedKeys|arraySizes/);
  });
});
