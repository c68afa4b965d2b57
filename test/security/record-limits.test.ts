import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCommandTap } from '../support/database/command-tap.ts';
import type { TestApp } from '../support/server/client.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const MEGABYTE = 1024 * 1024;

let server: TestServer;
let open: TestApp;
beforeAll(async () => {
  server = await startServer({ BODY_LIMIT: '2mb' });
  open = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
});
afterAll(() => server.close());

let personCount = 0;
function newPerson({ sourceAppId } = open) {
  personCount += 1;
  const email = `wide-${personCount}@example.org`;
  return {
    submit: (data: object) => server.client.submit(sourceAppId, { email, data }),
    stored: () => server.db.collection('users').findOne({ sourceAppId, email }),
  };
}

/** Returns `count` keys that no schema declares, numbered from `first`. */
const keys = (count: number, first = 0, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${first + index}`, value]));

describe('limit on the keys of a record', () => {
  it('responds with 400 to more than 200 undeclared keys and stores nothing', async () => {
    const person = newPerson();
    const { body } = await person.submit({ ...keys(201), list: [] }).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'data',
        message: 'must have at most 200 keys beyond the fields of the schema',
        code: 'tooManyKeys',
        params: { max: 200 },
      },
    ]);
    await person.submit(keys(12_500)).expect(400);
    expect(await person.stored()).toBeNull();
    await person.submit({ ...keys(200), list: [1] }).expect(200);
  });

  it('accepts 200 undeclared keys per record over all submissions; refuses the 201st with 400', async () => {
    const person = newPerson();
    for (let first = 0; first < 200; first += 40) await person.submit(keys(40, first)).expect(200);
    const before = await person.stored();
    const { body } = await person.submit(keys(1, 200)).expect(400);
    expect(body.errors[0].path).toBe('data');
    expect(await person.stored()).toEqual(before);
    // Existing keys can always be changed, and fields of the schema do not count.
    for (let time = 0; time < 8; time += 1) await person.submit({ ...keys(100, 50, time), list: [time] }).expect(200);
    const after = await person.stored();
    expect(Object.keys(after?.data)).toHaveLength(201);
    expect(after?.data.key60).toBe(7);
  });

  it('applies to concurrent submissions', async () => {
    const person = newPerson();
    await person.submit({}).expect(200);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, one) => person.submit(keys(20, one * 20))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(20);
    expect(Object.keys((await person.stored())?.data)).toHaveLength(200);
  });
});

describe('limit on the size of a record', () => {
  it('responds with 413 to a submission larger than RECORD_LIMIT', async () => {
    const person = newPerson();
    const { body } = await person.submit({ text: 'x'.repeat(1.1 * MEGABYTE) }).expect(413);
    expect(body).toEqual({
      message: 'The record would be larger than 1.0 MB',
      code: 'recordLargerThan',
      params: { max: '1.0' },
    });
    expect(await person.stored()).toBeNull();
  });

  it('applies to the sum of items and values (1 MB); responds with 413 and keeps the record unchanged', async () => {
    const person = newPerson();
    for (let part = 0; part < 4; part += 1) await person.submit({ list: ['x'.repeat(100_000)] }).expect(200);
    for (let part = 0; part < 5; part += 1) await person.submit(keys(1, part, 'y'.repeat(100_000))).expect(200);
    const before = await person.stored();
    await person.submit({ list: ['x'.repeat(200_000)] }).expect(413);
    await person.submit(keys(1, 9, 'x'.repeat(200_000))).expect(413);
    expect(await person.stored()).toEqual(before);
    await person.submit({ list: ['small'] }).expect(200);
  });

  it('does not count replaced values', async () => {
    const person = newPerson();
    for (let time = 0; time < 12; time += 1) {
      await person.submit({ text: `${time}`.repeat(300_000), other: time }).expect(200);
    }
    expect((await person.stored())?.data.other).toBe(11);
  });

  it('is set by RECORD_LIMIT', async () => {
    const small = await startServer({ RECORD_LIMIT: '256kb', BODY_LIMIT: '1mb' }, server.database);
    const submit = (text: string) => small.client.submit(open.sourceAppId, { email: 's@x.org', data: { text } });
    await submit('x'.repeat(200_000)).expect(200);
    await submit('x'.repeat(300_000)).expect(413);
    await small.close();
  });
});

describe('large records', () => {
  it('are not read for repeats of a submission with an Idempotency-Key (attack: read amplification)', async () => {
    const { sourceAppId } = await server.admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const submit = () =>
      server.client.submit(sourceAppId, { email: 'large@x.org', data: { list: [1] } }).set('Idempotency-Key', 'one');
    await submit().expect(200);
    const big = 'x'.repeat(15 * MEGABYTE);
    await server.db.collection('users').updateOne({ sourceAppId }, { $set: { 'data.big': big } });
    const bytes = await receivedBytes(server, async () => {
      for (let time = 0; time < 5; time += 1) await submit().expect(200);
    });
    // Whatever else the database answers meanwhile: one read of the record is 15 MB.
    expect(bytes).toBeLessThan(MEGABYTE);
  });
});

describe('time limits of database commands', () => {
  it('are set with maxTimeMS on every command of the service', { tags: 'long' }, async () => {
    const uri = new URL(inject('mongodbUri'));
    const tap = await startCommandTap(new URL(uri));
    uri.port = String(tap.port);
    const tapped = await startServer({ MONGODB_URI: uri.href });
    const { admin, client } = tapped;
    const app = await admin.buildApp({ fields: [{ key: 'list', kind: 'array' }] });
    const submit = (list: unknown) =>
      client.submit(app.sourceAppId, { email: 'm@x.org', data: { list } }).set('Idempotency-Key', 'k');
    await submit([1]).expect(200);
    await submit([1]).expect(200);
    await submit([2]).expect(422);
    await Promise.all(Array.from({ length: 20 }, () => client.submit(app.sourceAppId, { email: 'n@x.org' })));
    const operator = await client.logIn(app.sourceAppId, app.password);
    for (const path of [
      '/auth/users',
      '/auth/users?where=email:contains:m&limit=5',
      '/auth/users/export',
      '/auth/stats',
      '/ready',
    ])
      await operator.get(path).expect(200);
    for (const path of ['/auth/apps', '/auth/admin/users', '/auth/admin/stats']) await admin.get(path).expect(200);
    await admin.get(`/auth/apps/${app.sourceAppId}/schema/versions`).expect(200);
    await operator.post('/auth/logout').expect(200);
    await admin.delete(`/auth/apps/${app.sourceAppId}`).expect(200);
    await tapped.close();
    const commands = tap.commands();
    await tap.close();
    const nameOf = (command: object) => Object.keys(command)[0] ?? '';
    const without = commands.filter((command) => command.maxTimeMS === undefined).map(nameOf);
    expect(without.filter((name) => !UNLIMITED.has(name))).toEqual([]);
    const seen = new Set(commands.map(nameOf));
    for (const name of ['find', 'insert', 'update', 'delete', 'aggregate', 'findAndModify', 'createIndexes', 'hello'])
      expect(seen).toContain(name);
  });
});

/** getMore has the limit of its query; endSessions and the handshake do no expensive work. */
const UNLIMITED = new Set(['getMore', 'endSessions', 'killCursors', 'hello', 'saslStart', 'saslContinue']);

/** Returns the number of bytes that the database sends during `work`. */
async function receivedBytes({ db }: TestServer, work: () => Promise<void>): Promise<number> {
  const sent = async () => Number((await db.command({ serverStatus: 1 })).network.bytesOut);
  const before = await sent();
  await work();
  return (await sent()) - before;
}
