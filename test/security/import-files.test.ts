import { describe, expect, inject, it, vi } from 'vitest';
import { MAX_COLUMNS, splitCells } from '../../src/features/imports/csv-cells.ts';
import { endOfRecord } from '../../src/features/imports/csv-records.ts';
import { startCommandTap } from '../support/database/command-tap.ts';
import { Client } from '../support/server/client.ts';
import { runImport } from '../support/server/imports.ts';
import { FULL_LEASES, QUICK_JOBS, startServer } from '../support/server/server.ts';

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

it('the many keys of a file make no large statement', { tags: 'long' }, async () => {
  const uri = new URL(inject('mongodbUri'));
  const tap = await startCommandTap(new URL(uri));
  uri.port = String(tap.port);
  const tapped = await startServer({ MONGODB_URI: uri.href }, undefined, { ...QUICK_JOBS, ...FULL_LEASES });
  const { sourceAppId, password } = await tapped.admin.buildApp();
  const operator = await new Client(tapped.listener.url).logIn(sourceAppId, password);
  const dataOf = (line: number) => Object.fromEntries(Array.from({ length: 200 }, (_, key) => [`k${line}x${key}`, 1]));
  const lines = Array.from({ length: 50 }, (_, line) => ({ email: `p${line}@example.com`, data: dataOf(line) }));
  const file = lines.map((line) => JSON.stringify(line)).join('\n');
  expect(await runImport(operator, undefined, file, { format: 'ndjson' })).toMatchObject({ created: 50 });
  const before = tap.commands().length;
  expect(await runImport(operator, undefined, file, { format: 'ndjson' })).toMatchObject({ unchanged: 50 });
  const reads = tap
    .commands()
    .slice(before)
    .filter(({ find }) => find === 'users');
  expect(reads.length).toBeGreaterThan(0);
  for (const { projection } of reads) expect(Object.keys(projection ?? {}).length).toBeLessThan(400);
  await tapped.close();
  await tap.close();
});
