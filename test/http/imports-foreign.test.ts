import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../support/samples/archives.ts';
import { FOREIGN_FIELDS, FOREIGN_FILES } from '../support/samples/foreign-files.ts';
import { prepareImport, runImport } from '../support/server/imports.ts';
import { QUICK_JOBS, startServer, type TestServer } from '../support/server/server.ts';

// Files as other programs export them.

let server: TestServer;
beforeAll(async () => {
  server = await startServer({}, undefined, QUICK_JOBS);
});
afterAll(() => server.close());

const app = async () => (await server.admin.buildApp({ fields: FOREIGN_FIELDS })).sourceAppId;

it.each(Object.entries(FOREIGN_FILES))('a file of %s', async (_, { content, settings, people, rejected = [] }) => {
  const sourceAppId = await app();
  const { errors, created } = await runImport(server.admin, sourceAppId, content, settings);
  expect(errors.map(({ line }) => line)).toEqual(rejected);
  const records = await server.db.collection('users').find({ sourceAppId }).toArray();
  const found = records.map(({ email, data }) => [email.split('@')[0], data]);
  expect(Object.fromEntries(found)).toEqual(people);
  expect(created).toBe(Object.keys(people).length);
});

it.each([
  ['Windows-1252', () => Buffer.from('E-Mail;Straße\r\nada@example.com;Hauptstraße 1\r\n', 'latin1'), 'Windows-1252'],
  ['a workbook', () => zipOf([{ path: '[Content_Types].xml', content: '<Types/>' }]), 'spreadsheet'],
])('a file that is %s is refused as a whole, with what to do', async (_, contentOf, word) => {
  const sourceAppId = await app();
  const content = await contentOf();
  for (const format of word === 'spreadsheet' ? ['csv', 'zip'] : ['csv', 'ndjson']) {
    const id = await prepareImport(server.admin, sourceAppId, content, { format });
    const { body } = await server.admin.post(`/auth/imports/${id}/start?sourceAppId=${sourceAppId}`).expect(400);
    expect(body.message).toContain(word);
    expect(body.message).toMatch(/save it .*CSV|CSV UTF-8/i);
  }
});
