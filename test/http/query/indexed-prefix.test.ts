import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../support/client.ts';
import { untilReady } from '../../support/index-slots.ts';
import { startServer, type TestServer } from '../../support/server.ts';

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
// The index value of a text with a capital letter differs from the text.
const ENDINGS = ['', '12', '2 Oak Avenue'];

const fields = [
  { key: 'indexed', kind: 'text' as const, indexed: true },
  { key: 'scanned', kind: 'text' as const },
];

let server: TestServer;
let operator: Client;

beforeAll(async () => {
  server = await startServer({}, undefined, { writesEndMs: 100, queryBudgetMs: 60_000 });
  const app = await server.admin.buildApp({ fields });
  await untilReady(server, app.sourceAppId, ['indexed']);
  const texts = FIRST.flatMap((first) => ENDINGS.map((ending) => first + ending));
  await inGroups([...texts.entries()], async ([at, text]) => {
    const body = { email: `u${at}@example.com`, data: { indexed: text, scanned: text } };
    await server.client.submit(app.sourceAppId, body).expect(200);
  });
  operator = await new Client(server.client.url).logIn(app.sourceAppId, app.password);
}, 60_000);
afterAll(() => server.close());

/** Calls `work` for each item, for 8 at the same time. */
async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(work));
}

type User = { email: string; data: { scanned: string } };

const selection = (key: string, prefix: string, more: Record<string, string> = {}) =>
  new URLSearchParams({ where: `data.${key}:prefix:${prefix}`, ...more });

async function listed(key: string, prefix: string) {
  const { body } = await operator.get(`/auth/users?${selection(key, prefix, { limit: '200', total: 'exact' })}`);
  const { users, ...rest } = body as { users: User[] };
  return { emails: users.map(({ email }) => email), texts: users.map(({ data }) => data.scanned), rest };
}

async function exported(key: string, prefix: string) {
  const { text } = await operator.get(`/auth/users/export?${selection(key, prefix, { format: 'ndjson' })}`).expect(200);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as User).email]));
}

describe('prefix on an indexed text', () => {
  it('lists and counts what it finds without the index, whatever the text begins with', async () => {
    const prefixes = FIRST.flatMap((first) => [first, `${first}2 o`]);
    await inGroups(prefixes, async (prefix) => {
      const [found, expected] = await Promise.all([listed('indexed', prefix), listed('scanned', prefix)]);
      expect({ prefix, ...found }).toEqual({ prefix, ...expected });
      expect(found.rest).toEqual({ total: found.emails.length, totalIs: 'exact', complete: true });
      expect(found.emails.length).toBeGreaterThan(0);
      if (!ASCII.includes(prefix[0] as string)) return;
      for (const text of found.texts) expect(text.slice(0, prefix.length).toLowerCase()).toBe(prefix.toLowerCase());
    });
  }, 120_000);

  it('exports the same records', async () => {
    await inGroups(FIRST, async (prefix) => {
      const expected = await listed('scanned', prefix);
      expect({ prefix, emails: await exported('indexed', prefix) }).toEqual({ prefix, emails: expected.emails });
    });
  }, 120_000);

  it('erases them all', async () => {
    for (const first of FIRST) {
      const prefix = `${first}2 `;
      const { length } = (await listed('scanned', prefix)).emails;
      const query = selection('indexed', prefix, { confirm: String(length) });
      const { body } = await operator.delete(`/auth/users?${query}`).expect(200);
      expect({ prefix, ...body }).toEqual({ prefix, ok: true, deletedUsers: length });
      expect((await listed('scanned', prefix)).emails).toEqual([]);
    }
  }, 120_000);
});
