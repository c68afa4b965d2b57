// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { createOrderedIds } from '../../src/platform/database/ordered-ids.ts';
import { mailEnv, startSmtp, type TestSmtp } from '../support/peers/smtp.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { Client } from '../support/server/client.ts';
import { multipart, sendBody, TYPES } from '../support/server/forms.ts';
import { runImport } from '../support/server/imports.ts';
import { type MeasuredServer, startMeasuredServer } from '../support/server/measured-server.ts';
import { Leftovers } from '../support/server/process.ts';
import { ADMIN_PASSWORD, startServer, type TestServer } from '../support/server/server.ts';
import { storePeople } from '../support/server/stored-people.ts';

type Condition = NonNullable<NonNullable<FieldDefinitionInput['showIf']>['any']>[number];

const RECORDS = 20_000;
const leftovers = new Leftovers();

/** Whose process is measured; the other one has the database. */
let server: MeasuredServer;
let base: TestServer;
let client: Client;
let smtp: TestSmtp;
beforeAll(async () => {
  base = await startServer();
  smtp = await startSmtp();
  // The jobs run in the measured process.
  await base.services.jobs.stop();
  server = await startMeasuredServer(leftovers, base.database, mailEnv(smtp, ''));
  client = await new Client(server.url).logIn('admin', ADMIN_PASSWORD);
});
afterAll(async () => {
  await leftovers.clear();
  await smtp.close();
  await base.close();
});

/** Texts of three characters, in their order. */
const codes = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, index) => (first + index).toString(36).padStart(3, '0'));

const texts = (regex: string): FieldDefinitionInput[] =>
  Array.from({ length: 100 }, (_, index) => ({ key: `f${index}`, kind: 'text', regex }));

describe('invariant 7: the event loop is blocked for at most 50 ms by', () => {
  it('a submission of 100 kB whose texts use the whole budget of the patterns', async () => {
    const { sourceAppId } = await client.buildApp({ fields: texts('[ab]*a[ab]{21}$') });
    const data = Object.fromEntries(texts('').map(({ key }) => [key, 'ab'.repeat(450)]));
    const submit = () => client.submit(sourceAppId, { email: 'a@example.com', data }).expect(400);
    expect(await server.blockedDuring(submit)).toBeLessThan(1);
  });

  it('a schema with the largest patterns, accepted or refused', async () => {
    const { sourceAppId } = await client.buildApp();
    const put = async () => {
      await client.putSchema(sourceAppId, { fields: texts('[ab]*a[ab]{21}$') }).expect(200);
      await client.putSchema(sourceAppId, { fields: texts('^.{1,1000}$') }).expect(400);
    };
    expect(await server.blockedDuring(put)).toBeLessThan(1);
  });

  it('conditions that search the longest texts and lists, in a submission and in a schema', async () => {
    const { sourceAppId } = await client.buildApp();
    const part = `${'a'.repeat(250)}b${'a'.repeat(749)}`;
    const choices = codes(8_000);
    const searching = (field: FieldDefinitionInput, conditions: Condition[]): FieldDefinitionInput[] => [
      field,
      ...Array.from({ length: Math.ceil(conditions.length / 20) }, (_, index) => ({
        key: `f${index}`,
        kind: 'number' as const,
        showIf: { any: conditions.slice(index * 20, index * 20 + 20) },
      })),
    ];
    const many = (count: number, condition: Condition): Condition[] => Array(count).fill(condition);
    const put = (fields: FieldDefinitionInput[], status: number) =>
      client.putSchema(sourceAppId, { fields }).expect(status);
    const submit = (data: object) => client.submit(sourceAppId, { email: 'a@example.com', data }).expect(200);
    const run = async () => {
      const inText = searching({ key: 'a', kind: 'text' }, many(33, { field: 'a', op: 'contains', value: part }));
      await put(inText, 200);
      await submit({ a: 'a'.repeat(90_000) });
      const inChoice: FieldDefinitionInput = { key: 'a', kind: 'select', enum: ['a'.repeat(45_000)] };
      await put(searching(inChoice, many(48, { field: 'a', op: 'contains', value: part })), 400);
      const list: FieldDefinitionInput = { key: 'a', kind: 'multiselect', enum: [...choices, 'none'] };
      const absent = many(70, { field: 'a', op: 'in', value: Array(100).fill('none') });
      await put(searching(list, absent), 200);
      await submit({ a: choices });
      const wrong = many(360, { field: 'a', op: 'in', value: Array(100).fill(1) });
      await put(searching({ key: 'a', kind: 'text' }, wrong), 400);
    };
    expect(await server.blockedDuring(run)).toBeLessThan(1);
  });

  it('a form that is refused with 19,000 unknown choices', async () => {
    const { sourceAppId } = await client.buildApp({
      fields: [{ key: 'topics', kind: 'multiselect', enum: codes(5_000) }],
    });
    const body = multipart([
      ['email', 'a@example.com'],
      ['topics', codes(19_000, 5_000).join('; ')],
    ]);
    const send = () => sendBody(client, sourceAppId, TYPES.multipart, body).expect(400);
    expect(await server.blockedDuring(send)).toBeLessThan(1);
  });

  it('the emails about a submission with 8,000 choices', async () => {
    const topics = codes(8_000);
    const { sourceAppId } = await client.buildApp({
      fields: [{ key: 'topics', kind: 'multiselect', enum: topics }],
    });
    const reply = { when: 'created', subject: 'Thanks', text: 'Topics: {topics}', include: ['topics'] };
    const settings = { notify: { emails: ['team@example.com'], when: 'each' }, reply };
    await client.put(`/auth/apps/${sourceAppId}/form`, settings).expect(200);
    let people = 0;
    const submit = async () => {
      people += 1;
      await client.submit(sourceAppId, { email: `person${people}@example.com`, data: { topics } }).expect(200);
      await expect.poll(() => smtp.mails.length, { timeout: 30_000, interval: 20 }).toBe(2 * people);
    };
    expect(await server.blockedDuring(submit)).toBeLessThan(1);
  });

  it(`an export of ${RECORDS} records`, async () => {
    const { sourceAppId } = await client.buildApp();
    const appId = (await base.db.collection('apps').findOne({ sourceAppId }))?._id;
    const newId = createOrderedIds();
    const records = Array.from({ length: RECORDS }, (_, index) => {
      const now = new Date();
      const data = { name: `=${index}"`.repeat(50) };
      const record = { appId, sourceAppId, email: `user${index}@x.org`, data, schemaVersion: 1 };
      return { _id: newId(now), ...record, createdAt: now, updatedAt: now };
    });
    await base.db.collection<{ _id: ReturnType<typeof newId> }>('users').insertMany(records, { ordered: false });
    const read = async () => {
      for (const format of ['csv', 'json']) {
        const path = `/auth/users/export?sourceAppId=${sourceAppId}&format=${format}`;
        const { text } = await client.get(path).buffer(true).expect(200);
        expect(text.length).toBeGreaterThan(RECORDS * 100);
      }
    };
    expect(await server.blockedDuring(read)).toBeLessThan(1);
  });

  it('an import of 2 MB', async () => {
    const { sourceAppId } = await client.buildApp({ fields: texts('^[ -~]*$').slice(0, 10) });
    const line = (index: number) => `p${index}@x.org,${Array(10).fill(`"${'x,'.repeat(50)}"`)}\n`;
    const header = `email,${Array.from({ length: 10 }, (_, index) => `data.f${index}`)}\n`;
    const file = header + Array.from({ length: 2_000 }, (_, index) => line(index)).join('');
    const run = async () => expect((await runImport(client, sourceAppId, file)).rejected).toBe(0);
    expect(await server.blockedDuring(run)).toBeLessThan(1);
  });

  it('a revert of 500 items, and its own revert', async () => {
    const { sourceAppId } = await client.buildApp({ fields: [{ key: 'visits', kind: 'array' }] });
    const query = `?sourceAppId=${sourceAppId}`;
    for (const last of [1, 2]) {
      const visits = Array.from({ length: 500 }, () => ({ a: {}, b: {}, last }));
      const line = JSON.stringify({ email: 'ada@x.org', data: { visits } });
      const { created, updated } = await runImport(client, sourceAppId, line, { format: 'ndjson' });
      expect([created, updated]).toEqual(last === 1 ? [1, 0] : [0, 1]);
    }
    const { body } = await client.get(`/auth/users${query}`).expect(200);
    const revert = async (revision: number, left: number) => {
      const path = `/auth/users/${body.users[0].id}/revert${query}`;
      const reverted = await client.post(path, { revision }).expect(200);
      expect(reverted.body.data.visits).toHaveLength(left);
    };
    let revision = 1;
    const revertTwice = async () => {
      await revert(1, 500);
      await revert(revision + 1, 1_000);
      revision += 2;
    };
    expect(await server.blockedDuring(revertTwice)).toBeLessThan(1);
  });

  it('a change of 250 records with large values, and its undo', async () => {
    const { sourceAppId } = await client.buildApp({ fields: [{ key: 'visits', kind: 'array' }] });
    const timestamp = new Date().toISOString();
    const visits = Array.from({ length: 300 }, (_, value) => ({ value, timestamp }));
    await storePeople(base, sourceAppId, 250, () => ({ visits }));
    const changeAndUndo = async () => {
      const id = await beginChange(client, sourceAppId, 250, { unset: ['visits'] });
      expect(await untilChange(client, sourceAppId, id)).toMatchObject({ changed: 250 });
      await client.post(`/auth/changes/${id}/undo?sourceAppId=${sourceAppId}`).expect(200);
      expect(await untilChange(client, sourceAppId, id)).toMatchObject({ undo: { changed: 250 } });
    };
    expect(await server.blockedDuring(changeAndUndo)).toBeLessThan(1);
  });
});
