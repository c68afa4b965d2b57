import { text as readAll } from 'node:stream/consumers';
import { BSON, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { UserRecord } from '../../../src/core/users/record-json.ts';
import { exportUsers } from '../../../src/features/exports/exports.service.ts';
import { createOrderedIds } from '../../../src/platform/database/ordered-ids.ts';

const createdAt = new Date('2026-01-31T08:30:00.000Z');
const newId = createOrderedIds();

function record(data: Record<string, unknown>, email = 'ada@example.com'): UserRecord {
  const appId = new ObjectId();
  const own = { _id: newId(createdAt), appId, sourceAppId: 'app', email };
  return { ...own, data, schemaVersion: 2, createdAt, updatedAt: createdAt };
}

/** The records as the database sends them. */
async function* stored(...records: UserRecord[]): AsyncGenerator<Uint8Array[]> {
  for (const one of records) yield [BSON.serialize(one)];
}

/** The text of the data columns of one exported record. */
async function dataCells(data: Record<string, unknown>, keys: string[]): Promise<string> {
  const csv = await readAll(exportUsers(stored(record(data)), 'csv', keys));
  const row = csv.slice(csv.indexOf('\r\n') + 2);
  return row.slice(row.indexOf(createdAt.toISOString()) + 2 * 25, -2);
}

describe('csv (RFC 4180)', () => {
  it('has a header, the record’s own columns, one column per field, and `other`', async () => {
    const user = record({ name: 'Ada', plan: 'pro', old: 1 });
    const csv = await readAll(exportUsers(stored(user), 'csv', ['name', 'plan', 'unset']));
    const time = createdAt.toISOString();
    expect(csv).toBe(
      'id,email,schemaVersion,createdAt,updatedAt,data.name,data.plan,data.unset,other\r\n' +
        `${user._id},ada@example.com,2,${time},${time},Ada,pro,,"{""old"":1}"\r\n`,
    );
  });

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    [';', '";"'],
    ['say "hi"', '"say ""hi"""'],
    ['a\r\nb', '"a\r\nb"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['ünï😀', 'ünï😀'],
    ['', ''],
    [null, ''],
    [0, '0'],
    [-12.5, '-12.5'],
    [1e21, '1e+21'],
    [false, 'false'],
    [[{ value: 'a,b' }], '"[{""value"":""a,b""}]"'],
  ])('writes %j as %s', async (value, cell) => {
    expect(await dataCells({ f: value }, ['f'])).toBe(`${cell},`);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x'])(
    'prefixes the formula %j with an apostrophe',
    async (formula) => {
      expect(await dataCells({ f: formula }, ['f'])).toBe(`'${formula},`);
    },
  );

  it.each([
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
    ['\t=1', "'\t'=1"],
    ['Hello;=1+1;end', "Hello;'=1+1;end"],
    ['x\n=1+1', "x\n'=1+1"],
    ['a,-1;+2\t@3', "a,'-1;'+2\t'@3"],
    ["a;'=1", "a;''=1"],
    ['a;"=1;b', 'a;""\'=1;b'],
    ['a; =1', 'a; =1'],
    ['a=1;b-2', 'a=1;b-2'],
    ['a;＝1', "a;'＝1"],
  ])('prefixes each formula of %j, wherever a spreadsheet begins a cell', async (text, shown) => {
    expect(await dataCells({ f: text }, ['f'])).toBe(`"${shown}",`);
  });

  it.each([
    [[1, -2], '"[1, -2]"'],
    [['a', '=1'], '"[""a"",""\\u003d1""]"'],
    [['a;=1', ',-1'], '"[""a;\\u003d1"","",\\u002d1""]"'],
    [['+49', ";'=1"], `"[""+49"","";'=1""]"`],
  ])('begins no formula in the JSON of %j, which stays JSON', async (value, shown) => {
    const cell = await dataCells({ f: value }, ['f']);
    expect(cell).toBe(`${shown},`);
    expect(JSON.parse(cell.slice(1, -2).replaceAll('""', '"'))).toEqual(value);
  });

  it('prefixes an email that is a formula with an apostrophe', async () => {
    const csv = await readAll(exportUsers(stored(record({}, '=cmd@example.com')), 'csv', []));
    expect(csv).toContain(",'=cmd@example.com,");
  });

  it('does not read inherited properties as fields', async () => {
    expect(await dataCells({}, ['constructor', 'toString'])).toBe(',,');
  });

  it('of an app without users is only the header', async () => {
    expect(await readAll(exportUsers(stored(), 'csv', ['name']))).toBe(
      'id,email,schemaVersion,createdAt,updatedAt,data.name,other\r\n',
    );
  });
});

describe('ndjson and json', () => {
  const users = [record({ n: '=1+1', list: [{ value: 1 }] }), record({ n: 'a\nb' }, 'bob@example.com')];
  const expected = users.map(({ _id, email, data }) => {
    const time = createdAt.toISOString();
    return { id: _id.toString(), email, data, schemaVersion: 2, createdAt: time, updatedAt: time };
  });

  it('ndjson is one record per line, with unchanged values', async () => {
    const lines = (await readAll(exportUsers(stored(...users), 'ndjson', []))).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected);
  });

  it('json is one array', async () => {
    expect(JSON.parse(await readAll(exportUsers(stored(...users), 'json', [])))).toEqual(expected);
  });

  it('of an app without users are an empty text and an empty array', async () => {
    expect(await readAll(exportUsers(stored(), 'ndjson', []))).toBe('');
    expect(JSON.parse(await readAll(exportUsers(stored(), 'json', [])))).toEqual([]);
  });
});

describe.each(['csv', 'ndjson', 'json'] as const)('the stream of %s', (format) => {
  it('fails when the source fails, so a partial file is not mistaken for a complete one', async () => {
    async function* broken(): AsyncGenerator<Uint8Array[]> {
      yield* stored(record({ name: 'Ada' }));
      throw new Error('database unavailable');
    }
    await expect(readAll(exportUsers(broken(), format, ['name']))).rejects.toThrow('database unavailable');
  });

  it('closes its source when the reader stops early', async () => {
    let resolveClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      resolveClosed = resolve;
    });
    async function* endless(): AsyncGenerator<Uint8Array[]> {
      try {
        for (;;) yield* stored(record({ name: 'Ada' }));
      } finally {
        resolveClosed();
      }
    }
    for await (const chunk of exportUsers(endless(), format, ['name'])) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await closed;
  });
});
