// @module-tag fault

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client, type TestApp } from '../support/server/client.ts';
import { sharedServer, startServer, type TestServer } from '../support/server/server.ts';

const ROUNDS_TIMEOUT_MS = 120_000;

let a: TestServer;
let b: TestServer;
beforeAll(async () => {
  a = await sharedServer();
  b = await startServer({}, a.database);
});
afterAll(() => b.close());

const terms = (version: string, label = 'Terms'): FieldDefinitionInput => ({
  key: 'terms',
  label,
  kind: 'checkbox' as const,
  consent: { version },
});
const list: FieldDefinitionInput = { key: 'list', kind: 'array' };

let personCount = 0;
/** Returns a new email with functions that submit for it and read its stored record. */
function newPerson({ sourceAppId }: TestApp) {
  personCount += 1;
  const email = `person${personCount}@x.org`;
  const stored = () => a.db.collection('users').findOne({ sourceAppId, email });
  return {
    email,
    submit: (data: object, { client }: TestServer = a) => client.submit(sourceAppId, { email, data }),
    /** Submits as a client does that repeats after a 503, which a busy machine may answer. */
    async insist(data: object, { client }: TestServer, key: string): Promise<void> {
      const send = () => client.submit(sourceAppId, { email, data }).set('Idempotency-Key', key);
      let { status } = await send();
      for (let repeat = 0; status === 503 && repeat < 10; repeat += 1) ({ status } = await send());
      expect(status).toBe(200);
    },
    stored,
    /**
     * The history in short: the version of each consent that was given, and `no` for a withdrawal.
     */
    async history(key = 'terms'): Promise<string[]> {
      const entries: { key: string; given: boolean; version: string }[] = (await stored())?.consents ?? [];
      return entries.filter((entry) => entry.key === key).map(({ given, version }) => (given ? version : 'no'));
    },
  };
}

describe('consents of a record (spec 2.8)', () => {
  it('are recorded when they are given, given for another version, and withdrawn', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1')] });
    const person = newPerson(app);
    await person.submit({ terms: false }).expect(200);
    expect(await person.history()).toEqual([]);
    await person.submit({ terms: true }).expect(200);
    await person.submit({ terms: true }).expect(200);
    await person.submit({}).expect(200);
    expect(await person.history()).toEqual(['1']);
    await a.admin.putSchema(app.sourceAppId, { fields: [terms('2', 'New terms')] }).expect(200);
    await person.submit({}).expect(200);
    expect(await person.history()).toEqual(['1']);
    const { body: given } = await person.submit({ terms: true }).expect(200);
    await person.submit({ terms: true }).expect(200);
    const { body: withdrawn } = await person.submit({ terms: false }).expect(200);
    await person.submit({ terms: false }).expect(200);
    expect(await person.history()).toEqual(['1', '2', 'no']);

    const session = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
    const { body } = await session.get(`/auth/users/${given.id}`).expect(200);
    expect(body.consents.slice(1)).toEqual([
      { key: 'terms', given: true, at: given.updatedAt, version: '2', schemaVersion: 3, label: 'New terms' },
      { key: 'terms', given: false, at: withdrawn.updatedAt, version: '2', schemaVersion: 3, label: 'New terms' },
    ]);
  });

  it('are shown only for one record, and only when it has any', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1')] });
    const { body: without } = await newPerson(app).submit({ terms: false }).expect(200);
    const { body: having } = await newPerson(app).submit({ terms: true }).expect(200);
    const session = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
    const members = ['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt'];
    const shown = async (id: string) => Object.keys((await session.get(`/auth/users/${id}`).expect(200)).body);
    expect(await shown(without.id)).toEqual(members);
    expect(await shown(having.id)).toEqual([...members, 'consents']);
    for (const path of ['/auth/users', '/auth/users?limit=5', '/auth/users/export?format=ndjson']) {
      expect((await session.get(path).expect(200)).text ?? '').not.toContain('consent');
    }
  });

  it('hold the page without user info, query and fragment, and no page that is no URL or too long', async () => {
    const { sourceAppId } = await a.admin.buildApp({ fields: [terms('1')] });
    const pageOf = async (page: string) => {
      personCount += 1;
      const email = `person${personCount}@x.org`;
      await a.services.submissions.submit(sourceAppId, { email, data: { terms: true } }, { page });
      return (await a.db.collection('users').findOne({ sourceAppId, email }))?.consents[0].page;
    };
    expect(await pageOf('https://ada:secret@Forms.example.com/a/b?token=1#c')).toBe('https://forms.example.com/a/b');
    expect(await pageOf('http://localhost:8080/')).toBe('http://localhost:8080/');
    for (const page of ['', 'about:blank', 'javascript:alert(1)', 'https://', `https://a.b/${'x'.repeat(500)}`]) {
      expect({ page, kept: await pageOf(page) }).toEqual({ page, kept: undefined });
    }
  });

  it('are kept when the field is no consent any more, and continued when it is again', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1')] });
    const person = newPerson(app);
    await person.submit({ terms: true }).expect(200);
    await a.admin.putSchema(app.sourceAppId, { fields: [{ key: 'terms', kind: 'text' }] }).expect(200);
    await person.submit({ terms: 'a text' }).expect(200);
    await a.admin.putSchema(app.sourceAppId, { fields: [] }).expect(200);
    await person.submit({ terms: false }).expect(200);
    expect(await person.history()).toEqual(['1']);
    await a.admin.putSchema(app.sourceAppId, { fields: [terms('1')] }).expect(200);
    await person.submit({ terms: false }).expect(200);
    await person.submit({ terms: true }).expect(200);
    expect(await person.history()).toEqual(['1', 'no', '1']);
  });

  it('begin with the first consent of a record that was stored before', async () => {
    const app = await a.admin.buildApp({ fields: [{ key: 'terms', kind: 'checkbox' }] });
    const [one, other] = [newPerson(app), newPerson(app)];
    for (const person of [one, other]) await person.submit({ terms: true }).expect(200);
    await a.admin.putSchema(app.sourceAppId, { fields: [terms('1')] }).expect(200);
    await one.submit({ terms: false }).expect(200);
    expect(await one.stored()).not.toHaveProperty('consents');
    await other.submit({ terms: true }).expect(200);
    expect(await other.history()).toEqual(['1']);
  });

  it('are independent for each field, whatever its key', async () => {
    const keys = ['terms', 'constructor', 'toString', 'hasOwnProperty', 'length', 'news'];
    const app = await a.admin.buildApp({ fields: keys.map((key) => ({ ...terms('1'), key }) as FieldDefinitionInput) });
    const person = newPerson(app);
    const all = (given: boolean) => Object.fromEntries(keys.map((key) => [key, given]));
    await person.submit(all(false)).expect(200);
    await person.submit(all(true)).expect(200);
    await person.submit({ ...all(true), constructor: false }).expect(200);
    await person.submit({ ...all(false), toString: true, terms: true }, b).expect(200);
    await person.submit(all(true)).expect(200);
    for (const key of keys) {
      const expected = key === 'terms' || key === 'toString' ? ['1'] : ['1', 'no', '1'];
      expect({ key, history: await person.history(key) }).toEqual({ key, history: expected });
    }
  });

  it('begin anew for a person whose record was erased, also on a server that knows the old record', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1')] });
    const session = await new Client(a.client.url).logIn(app.sourceAppId, app.password);
    for (const again of [true, false]) {
      const person = newPerson(app);
      const { body } = await person.submit({ terms: true }, b).expect(200);
      await session.delete(`/auth/users/${body.id}`).expect(200);
      await person.submit({ terms: again }, b).expect(200);
      expect({ again, history: await person.history() }).toEqual({ again, history: again ? ['1'] : [] });
    }
  });
});

describe('limits of consents', () => {
  it('are 1,000 entries of a record; with 900 it takes withdrawals only, and refuses others with 409', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1'), list, { ...terms('1'), key: 'news' }] });
    const person = newPerson(app);
    await person.submit({ terms: true }).expect(200);
    const setEntries = async (count: number) => {
      const [entry] = (await person.stored())?.consents ?? [];
      const consents = Array.from({ length: count }, () => entry);
      await a.db
        .collection('users')
        .updateOne({ sourceAppId: app.sourceAppId, email: person.email }, { $set: { consents } });
    };
    await setEntries(899);
    await person.submit({ news: true }).expect(200);
    await person.submit({ terms: false, list: [1] }, b).expect(200);
    const before = await person.stored();
    expect(before?.consents).toHaveLength(901);
    for (const server of [a, b]) {
      const { body } = await person.submit({ terms: true, news: false, list: [1] }, server).expect(409);
      expect(body).toEqual({
        message: 'The record is full: it accepts only withdrawals of consents',
        code: 'recordFull',
      });
    }
    expect(await person.stored()).toEqual(before);
    await person.submit({ terms: false, news: true, list: [1] }).expect(200);
    await setEntries(999);
    await person.submit({ news: false }, b).expect(200);
    expect((await person.stored())?.consents).toHaveLength(1_000);
    expect((await person.history('news')).at(-1)).toBe('no');
  });

  it('leave room to withdraw a consent that somebody else toggled as often as possible', async () => {
    const app = await a.admin.buildApp({ fields: [terms('1')] });
    const person = newPerson(app);
    await person.submit({ terms: true }).expect(200);
    const [entry] = (await person.stored())?.consents ?? [];
    const consents = Array.from({ length: 990 }, () => entry);
    await a.db
      .collection('users')
      .updateOne({ sourceAppId: app.sourceAppId, email: person.email }, { $set: { consents } });
    await person.submit({ terms: false }).expect(200);
    for (let toggle = 0; toggle < 12; toggle += 1) await person.submit({ terms: toggle % 2 === 0 });
    await person.submit({ terms: false }).expect(200);
    expect((await person.history()).at(-1)).toBe('no');
    expect((await person.stored())?.data.terms).toBe(false);
  });

  it('include the size of the record', { tags: 'long' }, async () => {
    const small = await startServer({ RECORD_LIMIT: '256kb' }, a.database);
    const app = await a.admin.buildApp({ fields: [terms('1', 'ü'.repeat(200))] });
    const person = newPerson(app);
    const page = `https://example.com/${'p'.repeat(400)}`;
    const submit = (given: boolean) =>
      small.services.submissions.submit(app.sourceAppId, { email: person.email, data: { terms: given } }, { page });
    const sizes: number[] = [];
    const toggle = async () => {
      for (let time = 0; time < 600; time += 1) {
        await submit(time % 2 === 0);
        const [{ size, sizeBound }] = (await a.db
          .collection('users')
          .aggregate([
            { $match: { sourceAppId: app.sourceAppId, email: person.email } },
            { $project: { size: { $bsonSize: '$$ROOT' }, sizeBound: 1 } },
          ])
          .toArray()) as [{ size: number; sizeBound: number }];
        sizes.push(size);
        expect(sizeBound + 36 * 1024).toBeGreaterThan(size);
      }
    };
    await expect(toggle()).rejects.toThrow('The record would be larger than');
    expect(sizes.length).toBeGreaterThan(50);
    expect(sizes.at(-1)).toBeLessThan(256 * 1024);
    await small.close();
  });
});

describe('a record that is full', () => {
  it('still takes the withdrawal of a consent, and the values that it has, but nothing more', {
    tags: 'long',
  }, async () => {
    const small = await startServer({ RECORD_LIMIT: '256kb' }, a.database);
    try {
      const app = await a.admin.buildApp({ fields: [terms('1'), { ...terms('1'), key: 'news' }, list] });
      const person = newPerson(app);
      const text = 'x'.repeat(300);
      await person.submit({ terms: true, news: true, text }, small).expect(200);
      // Anybody who knows the email can do this.
      for (const size of [6_000, 50]) {
        for (let count = 0; count < 60; count += 1) await person.submit({ list: ['y'.repeat(size)] }, small);
      }
      await person.submit({ list: ['y'.repeat(50)] }, small).expect(413);
      for (const withdrawn of ['terms', 'news']) {
        await person.submit({ [withdrawn]: false, text }, small).expect(200);
        expect((await person.stored())?.data[withdrawn]).toBe(false);
        expect((await person.history(withdrawn)).at(-1)).toBe('no');
      }
      await person.submit({ terms: true }, small).expect(413);
      await person.submit({ list: ['z'] }, small).expect(413);
    } finally {
      await small.close();
    }
  });
});

describe('consents on two servers', () => {
  it('alternate, end with the stored value, and come with their items exactly once', {
    tags: 'long',
    timeout: ROUNDS_TIMEOUT_MS,
  }, async () => {
    const app = await a.admin.buildApp({ fields: [terms('1'), list] });
    const items = Array.from({ length: 14 }, (_, item) => item);
    for (let round = 0; round < rounds(15, 6); round += 1) {
      const person = newPerson(app);
      if (round % 3 > 0) await person.insist({ terms: round % 3 === 1 }, a, 'first');
      await Promise.all(
        items.map((item) => person.insist({ terms: item % 4 < 2, list: [item] }, item % 2 === 0 ? a : b, `${item}`)),
      );
      const { data, consentState } = await person
        .stored()
        .then((record) => record ?? Promise.reject(new Error('no record')));
      const history = await person.history();
      expect(history).toEqual(history.map((_, index) => (index % 2 === 0 ? '1' : 'no')));
      expect(history.at(-1)).toBe(data.terms ? '1' : history.length > 0 ? 'no' : undefined);
      if (history.length > 0) expect(consentState).toEqual({ terms: data.terms && '1' });
      const stored: number[] = data.list.map(({ value }: { value: number }) => value);
      expect(stored.sort((one, other) => one - other)).toEqual(items);
    }
  });

  it(
    'are recorded once for concurrent submissions that agree, and for repeats with one Idempotency-Key',
    async () => {
      const app = await a.admin.buildApp({ fields: [terms('1')] });
      for (let round = 0; round < rounds(10, 5); round += 1) {
        const person = newPerson(app);
        const many = (given: boolean, key?: string) =>
          Promise.all(
            Array.from({ length: 8 }, (_, index) =>
              person.insist({ terms: given }, index % 2 === 0 ? a : b, key ?? `${given}-${index}`),
            ),
          );
        await many(true);
        await many(false, 'withdrawal');
        expect(await person.history()).toEqual(['1', 'no']);
        await person.insist({ terms: true }, a, 'again');
        // A repeat of an older submission does not withdraw again.
        await many(false, 'withdrawal');
        expect(await person.history()).toEqual(['1', 'no', '1']);
        expect((await person.stored())?.data.terms).toBe(true);
      }
    },
    ROUNDS_TIMEOUT_MS,
  );

  it('follow the versions of the text while submissions run', {
    tags: 'long',
    timeout: ROUNDS_TIMEOUT_MS,
  }, async () => {
    const app = await a.admin.buildApp({ fields: [terms('v1')] });
    const person = newPerson(app);
    let stopped = false;
    const statuses = new Set<number>();
    const keepSubmitting = async (server: TestServer) => {
      while (!stopped) statuses.add(await person.submit({ terms: true }, server).then(({ status }) => status));
    };
    const running = Promise.all([a, b, a, b].map(keepSubmitting));
    const versions = Array.from({ length: 8 }, (_, index) => `v${index + 1}`);
    for (const [index, version] of versions.entries()) {
      const server = index % 2 === 0 ? a : b;
      if (index > 0) await server.admin.putSchema(app.sourceAppId, { fields: [terms(version)] }).expect(200);
      await person.insist({ terms: true }, index % 2 === 0 ? b : a, version);
    }
    stopped = true;
    await running;
    expect(await person.history()).toEqual(versions);
    for (const status of statuses) expect([200, 503]).toContain(status);
  });
});
