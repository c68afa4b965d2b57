import { describe, expect, it } from 'vitest';
import { headOf } from '../../../web/src/record/fold.ts';
import { findingsTitle } from '../../../web/src/schema-editor/draft/findings-title.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';
import { countedBreakdown } from '../../../web/src/users/breakdown/counted.ts';

await loadTexts();

describe('a long text', () => {
  it('is folded after 600 characters or 12 lines', () => {
    expect(headOf('x'.repeat(5_000))).toBe('x'.repeat(600));
    expect(headOf('a\n'.repeat(100))).toBe(Array(12).fill('a').join('\n'));
    expect(headOf(`${'x'.repeat(599)}😀${'y'.repeat(1_000)}`)).toBe('x'.repeat(599));
  });

  it('is not folded when little is left', () => {
    expect(headOf('')).toBeUndefined();
    expect(headOf('x'.repeat(600))).toBeUndefined();
    expect(headOf('x'.repeat(750))).toBeUndefined();
    expect(headOf('x'.repeat(751))).toBeDefined();
    expect(headOf('a\n'.repeat(12))).toBeUndefined();
  });
});

describe('the records that newly fail a schema', () => {
  it.each([
    [3, 1, true, '1 of 3 stored records would become invalid'],
    [3, 2, true, '2 of 3 stored records would become invalid'],
    [3, 0, true, 'None of 3 stored records would become invalid'],
    [3, 3, true, 'All 3 stored records would become invalid'],
    [1, 1, true, 'The only stored record would become invalid'],
    [26_400, 26_400, false, 'All of the newest 26,400 stored records would become invalid'],
    [26_400, 12, false, '12 of the newest 26,400 stored records would become invalid'],
    [26_400, 0, false, 'None of the newest 26,400 stored records would become invalid'],
  ])('of %i are %i (all checked: %s)', (checked, newlyFailing, complete, title) => {
    expect(findingsTitle({ checked, newlyFailing, complete })).toBe(title);
  });
});

describe('a chart that saw a part of the people', () => {
  const path = 'data.plan';
  type CountOf = Parameters<typeof countedBreakdown>[2];
  const counting =
    (counts: Record<string, number>, timeless = 'none'): CountOf =>
    async (conditions) => {
      const name = conditions.map(({ operator, value }) => `${operator} ${value}`).join(' ');
      return name === timeless ? undefined : (counts[name] ?? 0);
    };

  it('gets the number of each value, and of those that it did not see', async () => {
    const values = [
      { value: 'pro', count: 3 },
      { value: 'free', count: 1 },
    ];
    const part = { field: path, records: 5, empty: 1, other: 0, values, complete: false };
    const counts = { '': 100, 'empty true': 10, 'eq pro': 50, 'eq free': 30 };
    expect(await countedBreakdown(part, path, counting(counts))).toEqual({
      field: path,
      records: 100,
      empty: 10,
      other: 10,
      complete: true,
      values: [
        { value: 'pro', count: 50 },
        { value: 'free', count: 30 },
      ],
    });
    expect(await countedBreakdown(part, path, counting(counts, 'eq free'))).toBeUndefined();
  });

  it('gets the number of each range, unless one has no bounds', async () => {
    const ranges = [
      { from: 0, to: 5, count: 1 },
      { from: 5, to: 10, count: 2 },
    ];
    const part = { field: path, records: 3, empty: 0, other: 0, ranges, complete: false };
    const counted = await countedBreakdown(part, path, counting({ '': 9, 'gte 0 lt 5': 4, 'gte 5 lt 10': 5 }));
    expect(counted).toMatchObject({ records: 9, other: 0, complete: true, ranges: [{ count: 4 }, { count: 5 }] });
    const open = { ...part, ranges: [{ count: 3 }] };
    expect(await countedBreakdown(open, path, counting({ '': 9 }))).toBeUndefined();
  });
});
