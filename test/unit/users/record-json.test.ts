import fc from 'fast-check';
import { BSON, Decimal128, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { MEMBERS_WITH_APP, OWN_MEMBERS, recordsAsJson } from '../../../src/core/users/record-json.ts';

const now = new Date('2026-01-31T08:30:00.123Z');

function recordOf(data: unknown, more: object = {}) {
  const id = new UUID('0190b2c4-8d5e-7abc-8def-0123456789ab');
  // Not in the order of the response: MongoDB sorts the members of a record that an upsert created.
  const record = { appId: new ObjectId(), email: 'ada@example.com', _id: id, arraySizes: { list: 2 }, data };
  return { ...record, createdAt: now, schemaVersion: 3, sourceAppId: 'shop', updatedAt: now, ...more };
}

async function* batchesOf(...batches: object[][]) {
  for (const batch of batches) yield batch.map((record) => BSON.serialize(record));
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece).toString());
  return all.join('');
}

const dataAsJson = async (data: unknown) => {
  const text = await textOf(recordsAsJson(batchesOf([recordOf(data)]), OWN_MEMBERS));
  const [, json] =
    /^\{"id":"0190b2c4-8d5e-7abc-8def-0123456789ab","email":"ada@example.com","data":(.*),"schemaVersion":3,/s.exec(
      text,
    ) ?? [undefined, text];
  return json;
};

describe('recordsAsJson', () => {
  it('writes the same text as JSON.stringify for any JSON value', { tags: 'long' }, async () => {
    const hard = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\u2028', '💥', 'constructor', '__proto__'),
    );
    const leaf = fc.oneof(hard, fc.double(), fc.integer(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
    // NUL terminates a key in BSON, so no stored key contains it.
    const keys = hard.map((key) => key.replaceAll('\0', ''));
    const objects = (values: fc.Arbitrary<unknown>) => fc.dictionary(keys, values, { maxKeys: 5 });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree'), { maxLength: 5 }), objects(tie('tree'))),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, tree, { maxKeys: 6 }), async (data) => {
        const stored = BSON.deserialize(BSON.serialize({ data })).data;
        expect(await dataAsJson(data)).toBe(JSON.stringify(stored));
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes texts of any length', async () => {
    for (const text of ['\u0001'.repeat(100_000), 'é"'.repeat(70_000), 'x'.repeat(1_000_000)]) {
      expect(await dataAsJson({ text, after: 1 })).toBe(JSON.stringify({ text, after: 1 }));
    }
  });

  it('writes the members of a listing in their order, and no other', async () => {
    const time = '2026-01-31T08:30:00.123Z';
    const own = { id: '0190b2c4-8d5e-7abc-8def-0123456789ab', email: 'ada@example.com', data: {}, schemaVersion: 3 };
    expect(await textOf(recordsAsJson(batchesOf([recordOf({})]), OWN_MEMBERS))).toBe(
      JSON.stringify({ ...own, createdAt: time, updatedAt: time }),
    );
    const { id, ...rest } = own;
    expect(await textOf(recordsAsJson(batchesOf([recordOf({})]), MEMBERS_WITH_APP))).toBe(
      JSON.stringify({ id, sourceAppId: 'shop', ...rest, createdAt: time, updatedAt: time }),
    );
  });

  it('decodes a record with a type that the service never stores, and writes the other records unchanged', async () => {
    const odd = [
      recordOf({ price: Decimal128.fromString('1.50') }),
      recordOf({ ok: true }),
      recordOf({ large: Long.fromNumber(2 ** 40), when: now, pattern: /x/ }),
      recordOf({ ok: true }, { stamp: new Timestamp(1n) }),
      { ...recordOf({}), email: undefined },
    ];
    const text = await textOf(recordsAsJson(batchesOf(odd.slice(0, 2), [], odd.slice(2)), OWN_MEMBERS));
    const shown = JSON.parse(`[${text}]`);
    expect(shown.map(({ data }: { data: unknown }) => data)).toEqual([
      { price: { $numberDecimal: '1.50' } },
      { ok: true },
      { large: 2 ** 40, when: now.toISOString(), pattern: {} },
      { ok: true },
      {},
    ]);
    expect(shown[4]).not.toHaveProperty('email');
  });

  it('writes times like toJSON, also before 1970, with expanded years, and invalid ones', async () => {
    const times = fc.oneof(
      fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 }),
      fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
      fc.constantFrom(0, -1, 86_400_000, -86_400_000, 8_640_000_000_000_001),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(times, { minLength: 1, maxLength: 4 }), async (list) => {
        const data = { list: list.map((time) => Object.assign(new Date(0), { getTime: () => time })) };
        const stored = BSON.deserialize(BSON.serialize({ data })).data;
        expect(await dataAsJson(data)).toBe(JSON.stringify(stored));
      }),
    );
  });

  it('yields pieces of about 64 kB that together are the list', async () => {
    const record = recordOf({ text: 'x'.repeat(10_000) });
    const pieces: string[] = [];
    for await (const piece of recordsAsJson(batchesOf(Array(20).fill(record), [record]), OWN_MEMBERS))
      pieces.push(Buffer.from(piece).toString());
    expect(pieces.map((piece) => JSON.parse(`[${piece.replace(/^,/, '')}]`).length)).toEqual([7, 7, 6, 1]);
    expect(JSON.parse(`[${pieces.join('')}]`)).toHaveLength(21);
  });
});
