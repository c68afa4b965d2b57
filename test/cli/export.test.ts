// @module-tag long

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FieldDefinitionInput } from '../../src/core/fields/definition.ts';
import { databaseUri, Leftovers, Process } from '../support/server/process.ts';
import { sharedServer, type TestServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

let server: TestServer;
let env: Record<string, string>;
const leftovers = new Leftovers();
beforeAll(async () => {
  server = await sharedServer();
  env = { MONGODB_URI: databaseUri(server.database) };
});
afterAll(() => leftovers.clear());

const exported = (id: string, ...args: string[]) => runTool(['users', 'export', id, ...args], env);

/** Creates an app with the given records, oldest first, and returns its id. */
async function appWith(fields: FieldDefinitionInput[], records: Record<string, unknown>[]): Promise<string> {
  const { sourceAppId } = await server.admin.buildApp({ fields });
  for (const [index, data] of records.entries()) {
    await server.client.submit(sourceAppId, { email: `user${index}@example.com`, data }).expect(200);
  }
  return sourceAppId;
}

/** Parses CSV as defined by RFC 4180, independently of the implementation that writes it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error('invalid CSV (RFC 4180)');
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe.concurrent('users export', () => {
  it('writes RFC 4180 CSV with a column for each field and a column of JSON for other keys', async () => {
    const fields: FieldDefinitionInput[] = [
      { key: 'note', kind: 'text' },
      { key: 'age', kind: 'number' },
      { key: 'ok', kind: 'checkbox' },
      { key: 'tags', kind: 'array' },
    ];
    const note = 'a "quoted", text\r\nin two lines';
    const id = await appWith(fields, [{ note, age: -1.5, ok: true, tags: ['x'] }, { other_key: { deep: 1 } }]);
    const { code, stdout, stderr } = await exported(id);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\r\n$/);
    const [header, second, first, ...rest] = readCsv(stdout);
    expect(rest).toEqual([]);
    expect(header?.join()).toBe(
      'id,email,schemaVersion,createdAt,updatedAt,data.note,data.age,data.ok,data.tags,other',
    );
    const stored = await server.db.collection('users').findOne({ sourceAppId: id, email: 'user0@example.com' });
    const [uuid, email, version, createdAt, updatedAt, ...values] = first ?? [];
    expect([uuid, email, version]).toEqual([stored?._id.toString(), 'user0@example.com', '2']);
    expect([createdAt, updatedAt]).toEqual([stored?.createdAt.toISOString(), stored?.updatedAt.toISOString()]);
    expect(values).toEqual([note, '-1.5', 'true', JSON.stringify(stored?.data.tags), '']);
    expect(second?.slice(5)).toEqual(['', '', '', '', '{"other_key":{"deep":1}}']);
  });

  it('escapes cells that a spreadsheet would evaluate (attack: CSV injection)', async () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r\n=1', '\uFF1D1'];
    const id = await appWith(
      [{ key: 'a', kind: 'text' }],
      [...formulas, 'a=1'].map((a) => ({ a })),
    );
    const { stdout } = await exported(id, '--format', 'csv');
    const cells = readCsv(stdout).slice(1).reverse();
    // Also after a tab and a line break.
    const shown = formulas.map((text) => `'${text.replace(/(?<=[\t\n])=/, "'=")}`);
    expect(cells.map((row) => row[5])).toEqual([...shown, 'a=1']);
  });

  it('writes ndjson as one record per line and json as one array, newest first, with text unchanged', async () => {
    const id = await appWith([{ key: 'a', kind: 'text' }], [{ a: '=1+1' }, { a: 'two' }]);
    const ndjson = await exported(id, '--format', 'ndjson');
    const json = await exported(id, '--format', 'json');
    expect([ndjson.code, json.code]).toEqual([0, 0]);
    const records = JSON.parse(json.stdout);
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(records);
    expect(records.map(({ email, data }: { email: string; data: unknown }) => ({ email, data }))).toEqual([
      { email: 'user1@example.com', data: { a: 'two' } },
      { email: 'user0@example.com', data: { a: '=1+1' } },
    ]);
    expect(Object.keys(records[0])).toEqual(['id', 'email', 'data', 'schemaVersion', 'createdAt', 'updatedAt']);
  });

  it('writes a header, no output or an empty array for an app without users', async () => {
    const id = await appWith([{ key: 'a', kind: 'text' }], []);
    expect((await exported(id)).stdout).toBe('id,email,schemaVersion,createdAt,updatedAt,data.a,other\r\n');
    expect((await exported(id, '--format', 'ndjson')).stdout).toBe('');
    expect(JSON.parse((await exported(id, '--format', 'json')).stdout)).toEqual([]);
  });

  it('refuses an unknown app', async () => {
    expect(await exported('nobody')).toEqual({ code: 1, stdout: '', stderr: 'error: App not found\n' });
  });
});

describe('users export of more data than the memory limit', () => {
  const RECORDS = 2_500;
  let id: string;
  beforeAll(async () => {
    id = await appWith([{ key: 'a', kind: 'text' }], [{ a: 'one' }]);
    const users = server.db.collection<Record<string, unknown>>('users');
    const { _id: _, ...template } = (await users.findOne({ sourceAppId: id })) ?? {};
    // 75 MB, more than the heap limit of the tool below.
    const text = 'x'.repeat(30_000);
    for (let start = 0; start < RECORDS; start += 500) {
      const batch = Array.from({ length: 500 }, (_, i) => ({
        ...template,
        _id: `${start + i}` as never,
        email: `bulk${start + i}@example.com`,
        data: { a: text },
      }));
      await users.insertMany(batch);
    }
  });

  it.each(['csv', 'json'])('streams %s in bounded memory', async (format) => {
    const tool = `node --max-old-space-size=64 dist/cli.js users export ${id} --format ${format} | wc -c`;
    const { code, stdout, stderr } = await leftovers.keep(new Process(['sh', '-c', tool], env)).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Number(stdout)).toBeGreaterThan(RECORDS * 30_000);
  });

  it('exits without an error message when the reader closes the pipe', async () => {
    const tool = `{ node dist/cli.js users export ${id}; echo "code $?" >&2; } | head -n 1`;
    const { stdout, stderr } = await leftovers.keep(new Process(['sh', '-c', tool], env)).ended;
    expect(stdout).toBe('id,email,schemaVersion,createdAt,updatedAt,data.a,other\r\n');
    expect(stderr).toBe('code 0\n');
  });
});
