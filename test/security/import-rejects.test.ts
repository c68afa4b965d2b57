import { Binary } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_REJECTS } from '../../src/features/imports/import-run.ts';
import type { RejectDocument } from '../../src/features/imports/imports.model.ts';
import { emailsIn } from '../../src/features/imports/rejects.ts';
import { Client } from '../support/server/client.ts';
import { prepareImport, rejectsOf, runImport, untilImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

async function build() {
  const { sourceAppId, password } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  return new Client(server.listener.url).logIn(sourceAppId, password);
}

it.each([
  ['Ada <ADA@example.com>, x@y.example', ['ada@example.com', 'x@y.example']],
  ["'o'brien@example.com.", ["'o'brien@example.com", "o'brien@example.com", 'brien@example.com']],
  ['x|ada@example.com|', ['x|ada@example.com', 'ada@example.com']],
  ['{"email":"ada@example.com"}', ['ada@example.com']],
  ['ada@localhost @ a@1.2', []],
])('the emails in %j are found', (text, emails) => {
  expect(emailsIn(text)).toEqual(new Set(emails));
});

it('an erasure leaves nothing of a person in rejected lines, whatever made them invalid', async () => {
  const operator = await build();
  const lines = [
    'ada@example.com,secret one,too,many',
    '"ada@example.com,secret two',
    '"Ada" ADA@example.com,secret three',
    'grace@example.org;secret four;invited by ada@example.com',
    'ada@example.com.invalid_,kept one',
    'not-ada@example.com,kept two,too',
  ];
  const { id, rejected } = await runImport(operator, undefined, ['email,name', ...lines, ''].join('\n'));
  expect(rejected).toBe(lines.length);
  expect(await rejectsOf(operator, undefined, id)).toContain('secret one');
  const { text } = await operator.post('/auth/people/export', { email: 'ada@example.com' }).expect(200);
  expect(JSON.parse(text).entries).toHaveLength(4);
  const { body } = await operator.post('/auth/people/erase', { email: 'ada@example.com' }).expect(200);
  expect(body.erased.importLines).toBe(4);
  const left = await rejectsOf(operator, undefined, id);
  expect(left).not.toMatch(/secret|[^-]ada@example\.com(?!\.)/i);
  expect(left).toContain('kept one');
  expect(left).toContain('kept two');
});

it('the text of a line with very many emails is not kept, because no erasure would find it', async () => {
  const operator = await build();
  const { id } = await runImport(operator, undefined, `email,name\n${'a@example.com '.repeat(101)}\n`);
  expect(await rejectsOf(operator, undefined, id)).not.toContain('@');
});

it('an import ends when it has rejected very many lines, and each that it read is kept with its reason', async () => {
  const operator = await build();
  const id = await prepareImport(operator, undefined, `email,name\n${'x,y\n'.repeat(3_000)}`);
  // As if so many lines had been rejected before.
  const before = { 'counters.read': MAX_REJECTS - 10, 'counters.rejected': MAX_REJECTS - 10 };
  await server.db.collection('imports').updateOne({ state: 'uploading' }, { $set: before });
  await operator.post(`/auth/imports/${id}/start`).expect(200);
  const { state, rejected, read, failure } = await untilImport(operator, undefined, id);
  expect({ state, failure }).toEqual({ state: 'failed', failure: expect.stringContaining('A million lines') });
  expect(read).toBe(rejected);
  expect(rejected).toBeLessThan(MAX_REJECTS + 1_000);
  const kept = rejected - MAX_REJECTS + 10;
  // With the header, and the end of the last line.
  expect((await rejectsOf(operator, undefined, id)).split('\r\n')).toHaveLength(kept + 2);
});

it('what a deleted import leaves is removed in steps, between the imports of other apps', {
  tags: 'long',
  timeout: 90_000,
}, async () => {
  const [operator, other] = [await build(), await build()];
  const { id } = await runImport(operator, undefined, 'email\nx\n');
  const rejects = server.db.collection<RejectDocument>('import_rejects');
  const one = (await rejects.findOne({ row: 'x' })) as RejectDocument;
  const importId = one._id.buffer.subarray(0, 12);
  const many = Array.from({ length: 40_000 }, (_, line) => {
    const _id = Buffer.alloc(18);
    _id.set(importId);
    _id.writeUIntBE(line + 10, 12, 6);
    return { ...one, _id: new Binary(_id) };
  });
  await rejects.insertMany(many);
  await operator.delete(`/auth/imports/${id}`).expect(200);
  await runImport(other, undefined, 'email\nada@example.com\n');
  expect(await rejects.countDocuments({ appId: one.appId })).toBeGreaterThan(0);
  await expect.poll(() => rejects.countDocuments({ appId: one.appId }), { timeout: 60_000 }).toBe(0);
});
