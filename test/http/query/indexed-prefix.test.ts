// @module-tag fault

import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appDocument, untilReady } from '../../support/database/index-slots.ts';
import { rounds } from '../../support/run/rounds.ts';
import { Client } from '../../support/server/client.ts';
import { findUsers } from '../../support/server/found-users.ts';
import { runImport } from '../../support/server/imports.ts';
import { startServer, type TestServer } from '../../support/server/server.ts';

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const OTHERS = [
  'ä',
  'Ä',
  'e\u0301',
  'é',
  'ß',
  'ς',
  'Σ',
  'İ',
  'ı',
  'ﬁ',
  'Ⅳ',
  '７',
  '٣',
  '漢',
  '한',
  'ᄒ',
  '\u0301',
  '💥',
];
const FIRST = [...ASCII, ...OTHERS];
/** What URLs, regular expressions, CSV and index values treat differently. */
const SPECIAL = ['\0', '%', '&', '*', '+', ',', '"', ':', '\\', 'A', 'a', 'ß', 'İ', '💥'];
/** Those whose records are also exported and erased by requests. */
const REQUESTED = FIRST.filter((first, at) => at % rounds(1, 12) === 0 || SPECIAL.includes(first));
// The index value of a text with a capital letter differs from the text.
const ENDINGS = ['', '12', '2 Oak Avenue'];

const fields = [
  { key: 'indexed', kind: 'text' as const, indexed: true },
  { key: 'scanned', kind: 'text' as const },
];

let server: TestServer;
let operator: Client;
let appId: ObjectId;

beforeAll(async () => {
  server = await startServer({}, undefined, { writesEndMs: 100, queryBudgetMs: 60_000 });
  const app = await server.admin.buildApp({ fields });
  await untilReady(server, app.sourceAppId, ['indexed']);
  appId = (await appDocument(server, app.sourceAppId))._id;
  const texts = FIRST.flatMap((first) => ENDINGS.map((ending) => first + ending));
  const lines = texts.map((text, at) => ({ email: `u${at}@example.com`, data: { indexed: text, scanned: text } }));
  const file = lines.map((line) => JSON.stringify(line)).join('\n');
  const imported = await runImport(server.admin, app.sourceAppId, file, { format: 'ndjson' });
  expect(imported).toMatchObject({ created: texts.length, rejected: 0 });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
}, 60_000);
afterAll(() => server.close());

const where = (key: string, prefix: string) => `data.${key}:prefix:${prefix}`;

async function listed(key: string, prefix: string) {
  const { users, rest } = await findUsers(server, appId, { where: [where(key, prefix)], limit: 200, total: 'exact' });
  return { emails: users.map(({ email }) => email), texts: users.map(({ data }) => String(data.scanned)), rest };
}

async function exported(key: string, prefix: string): Promise<string[]> {
  const query = new URLSearchParams({ where: where(key, prefix), format: 'ndjson' });
  const { text } = await operator.get(`/auth/users/export?${query}`).expect(200);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).email as string]));
}

describe('prefix on an indexed text', () => {
  it('lists and counts what it finds without the index, whatever the text begins with', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    for (const prefix of FIRST.flatMap((first) => [first, `${first}2 o`])) {
      const [found, expected] = await Promise.all([listed('indexed', prefix), listed('scanned', prefix)]);
      expect({ prefix, ...found }).toEqual({ prefix, ...expected });
      expect(found.rest).toEqual({ total: found.emails.length, totalIs: 'exact', complete: true });
      expect(found.emails.length).toBeGreaterThan(0);
      if (!ASCII.includes(prefix[0] as string)) continue;
      for (const text of found.texts) expect(text.slice(0, prefix.length).toLowerCase()).toBe(prefix.toLowerCase());
    }
  });

  it('exports the same records', { tags: 'long', timeout: 120_000 }, async () => {
    for (const prefix of REQUESTED) {
      const { emails } = await listed('scanned', prefix);
      expect({ prefix, emails: await exported('indexed', prefix) }).toEqual({ prefix, emails });
    }
  });

  it('erases them all', { tags: 'long', timeout: 120_000 }, async () => {
    for (const first of REQUESTED) {
      const prefix = `${first}2 `;
      const { length } = (await listed('scanned', prefix)).emails;
      const query = new URLSearchParams({ where: where('indexed', prefix), confirm: String(length) });
      const { body } = await operator.delete(`/auth/users?${query}`).expect(200);
      expect({ prefix, ...body }).toEqual({ prefix, ok: true, deletedUsers: length });
      expect((await listed('scanned', prefix)).emails).toEqual([]);
    }
  });
});
