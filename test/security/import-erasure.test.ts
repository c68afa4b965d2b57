import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChunkDocument } from '../../src/features/imports/imports.model.ts';
import { Client } from '../support/server/client.ts';
import { prepareImport, rejectsOf, untilImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

async function build() {
  const { sourceAppId, password } = await server.admin.buildApp({ fields: [{ key: 'name', kind: 'text' }] });
  const operator = await new Client(server.listener.url).logIn(sourceAppId, password);
  const app = await server.db.collection('apps').findOne({ sourceAppId });
  return { operator, appId: app?._id };
}

/** The files of an app, as they are stored. */
async function storedOf(appId: unknown): Promise<Buffer> {
  const chunks = server.db.collection<ChunkDocument>('import_chunks');
  const found = await chunks
    .find({ appId: appId as ChunkDocument['appId'] })
    .sort({ _id: 1 })
    .toArray();
  return Buffer.concat(found.map(({ bytes }) => Buffer.from(bytes.buffer.subarray(0, bytes.position))));
}

const ROWS = [
  'bob@example.com,"Bob\nof ""two"" lines"',
  '"first secret\nsecond secret\n",ada@example.com',
  'ADA@example.com,"third secret\r\nfourth secret"',
  'not-ada@example.com,"Grace\nof two lines"',
];

it.each([
  ['utf8', ''],
  ['utf16le', '\ufeff'],
] as const)('an erasure overwrites all lines of a record with line ends in its cells: %s', async (encoding, mark) => {
  const { operator, appId } = await build();
  const id = await prepareImport(
    operator,
    undefined,
    Buffer.from(mark + ['email,name', ...ROWS, ''].join('\n'), encoding),
  );
  const { text } = await operator.post('/auth/people/export', { email: 'ada@example.com' }).expect(200);
  expect(JSON.parse(text).entries.map((entry: { text: string }) => entry.text)).toEqual(ROWS.slice(1, 3));
  await operator.post('/auth/people/erase', { email: 'ada@example.com' }).expect(200);
  expect((await storedOf(appId)).toString(encoding)).not.toContain('secret');
  await operator.post(`/auth/imports/${id}/start`).expect(200);
  expect(await untilImport(operator, undefined, id)).toMatchObject({ created: 2, rejected: 2, read: 4 });
  expect(await rejectsOf(operator, undefined, id)).not.toContain('secret');
  const names = await server.db.collection('users').find({ appId }).sort({ email: 1 }).toArray();
  expect(names.map(({ data }) => data.name)).toEqual(['Bob\nof "two" lines', 'Grace\nof two lines']);
});

it('an erasure overwrites the whole of a long line', { tags: 'long' }, async () => {
  const { operator, appId } = await build();
  const line = (email: string) => JSON.stringify({ email, data: { before: 'x'.repeat(900_000), name: 'secret' } });
  const before = JSON.stringify({ data: { name: 'secret', more: 'y'.repeat(900_000) }, email: 'ada@example.com' });
  const file = [line('ada@example.com'), line('bob@example.com'), before, ''].join('\n');
  await prepareImport(operator, undefined, file, { format: 'ndjson' });
  const { body } = await operator.post('/auth/people/erase', { email: 'ada@example.com' }).expect(200);
  expect(body.erased.importLines).toBe(2);
  const lines = (await storedOf(appId)).toString().split('\n');
  expect(lines.map((text) => text.includes('secret'))).toEqual([false, true, false, false]);
  expect(lines[1]).toBe(line('bob@example.com'));
});
