import { isDeepStrictEqual } from 'node:util';
import { Decimal128, Long, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { undoOf } from '../../../src/features/history/history-entries.ts';

const PATH = 'data.visits[]';
const isList = () => true;

/** The list after the undo of a change of its items; undefined: it changed since. */
async function restored(list: unknown[], change: { before?: unknown[]; after?: unknown[] }) {
  const { lists, changed } = await undoOf([{ path: PATH, ...change }], { visits: list }, isList);
  expect(changed).toEqual(lists.visits ? [] : [PATH]);
  return lists.visits;
}

const timeOf = (item: unknown) => String((item as { timestamp?: unknown } | null)?.timestamp ?? '');

/** The definition: each item removes the first one that equals it, and each returns by its time. */
function restoredByDefinition(list: unknown[], before: unknown[], after: unknown[]): unknown[] | undefined {
  const left = [...list];
  for (const item of after) {
    const index = left.findIndex((one) => isDeepStrictEqual(one, item));
    if (index === -1) return undefined;
    left.splice(index, 1);
  }
  const times = new Set(left.map(timeOf));
  if (before.some((item) => times.has(timeOf(item)))) return undefined;
  for (const item of before) {
    const index = left.findIndex((one) => timeOf(one) > timeOf(item));
    left.splice(index === -1 ? left.length : index, 0, item);
  }
  return left;
}

/** Values of which some are equal, some differ by their type or order only. */
const VALUES: (() => unknown)[] = [
  () => 0,
  () => -0,
  () => '-0',
  () => '0',
  () => Number.NaN,
  () => null,
  () => undefined,
  () => [],
  () => [-0],
  () => ['-0'],
  () => ({}),
  () => ({ a: 1, b: [2] }),
  () => ({ b: [2], a: 1 }),
  () => ({ b: { c: -0, d: 1 } }),
  () => ({ b: { d: 1, c: 0 } }),
  () => ({ ['__proto__']: 1 }),
  () => new Date(0),
  () => new Date(1),
  () => new Date(0).toISOString(),
  () => Long.fromNumber(1),
  () => Decimal128.fromString('1'),
  () => new ObjectId('0123456789abcdef01234567'),
  () => new ObjectId('0123456789abcdef01234568'),
  () => Buffer.from('a'),
  () => Buffer.from('b'),
];

/** The same numbers in each run, from 0 to below 1. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('the undo of a change of items', () => {
  it('restores what the definition restores, for items of all types in any order', { tags: 'long' }, async () => {
    const random = createRandom();
    const below = (count: number) => Math.floor(random() * count);
    const item = () => {
      const value = (VALUES[below(VALUES.length)] as () => unknown)();
      if (below(20) === 0) return value;
      const timestamp = `2026-01-0${1 + below(4)}`;
      return below(2) ? { value, timestamp } : { timestamp, value };
    };
    const items = (most: number) => Array.from({ length: below(most) }, item);
    let restoredOnes = 0;
    for (let round = 0; round < 3_000; round += 1) {
      const list = items(12);
      const after = below(3) ? list.filter(() => below(3) === 0).sort(() => random() - 0.5) : items(3);
      const before = items(3);
      const result = await restored(list, { before, after });
      const expected = restoredByDefinition(list, before, after);
      expect(result?.length).toBe(expected?.length);
      // The items themselves, not equal ones.
      expect(result?.every((one, index) => Object.is(one, expected?.[index])) ?? true).toBe(true);
      if (expected) restoredOnes += 1;
    }
    expect(restoredOnes).toBeGreaterThan(1_000);
  });

  it('reads each item a few times, whatever their number', async () => {
    let reads = 0;
    const itemsOf = (times: readonly string[]) =>
      times.flatMap((timestamp) =>
        Array.from({ length: 500 }, (_, n) => ({
          get value() {
            reads += 1;
            return n;
          },
          get timestamp() {
            reads += 1;
            return timestamp;
          },
        })),
      );
    const [first, second, third] = ['2026-01-01', '2026-01-02', '2026-01-03'] as const;
    await restored(itemsOf([first, second]), { after: itemsOf([second]) });
    expect(reads).toBeLessThan(20 * 1_500);
    reads = 0;
    await restored(itemsOf([first, third]), { before: itemsOf([second]) });
    expect(reads).toBeLessThan(20 * 1_500);
  });
});
