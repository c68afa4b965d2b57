import { describe, expect, it, vi } from 'vitest';
import { MAX_COLUMNS, splitCells } from '../../src/imports/lines/csv-cells.ts';
import { endOfRecord } from '../../src/imports/lines/csv-record.ts';

describe('a record of many cells', () => {
  it.each([1_000, 10_000])('is searched for its end once: %i cells', (cells) => {
    const bytes = Buffer.from(`"a",${','.repeat(cells)}\n"b"\n`);
    const search = vi.spyOn(bytes, 'indexOf');
    const end = endOfRecord(bytes, 0, { newline: 0x0a, delimiter: 0x2c }, true, bytes.length);
    expect(end).toEqual({ end: cells + 4, next: cells + 5 });
    expect(search.mock.calls.filter(([value]) => value === 0x0a)).toHaveLength(1);
  });

  it('ends after a cell that contains line ends', () => {
    const bytes = Buffer.from('a,"x\ny\n",b,"\n",c\nnext');
    expect(endOfRecord(bytes, 0, { newline: 0x0a, delimiter: 0x2c }, true, bytes.length)).toEqual({
      end: 16,
      next: 17,
    });
  });

  it.each(['', '"a"'])('is split into no more cells than a file may have: %j', (first) => {
    expect(splitCells(first + ','.repeat(100_000), ',', MAX_COLUMNS + 1)).toHaveLength(MAX_COLUMNS + 1);
  });
});
