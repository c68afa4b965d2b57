import { splitCells } from '../../../src/features/imports/csv-cells.ts';
import { createLineReader, readLayout } from '../../../src/features/imports/line-reader.ts';

/** Reads a file in blocks as the service does: the columns, and the cells of its lines. */
export async function readAsService(
  file: Buffer,
  settings: { delimiter?: ',' | ';' | '\t' | '|' } = {},
  block = 1_000,
) {
  const readFrom = async function* (offset: number): AsyncGenerator<Buffer> {
    for (let at = offset; at < file.length; at += block) yield file.subarray(at, at + block);
  };
  const { layout, position } = await readLayout(readFrom, { format: 'csv', ...settings });
  const reader = createLineReader(readFrom, layout, 'csv', position);
  const lines: { number: number; cells: string[] }[] = [];
  const readable: string[][] = [];
  for (let line = await reader.next(); line; line = await reader.next()) {
    const cells = splitCells(line.text ?? '', layout.delimiter);
    lines.push({ number: line.number, cells });
    if (line.problem === undefined) readable.push(cells);
  }
  return { layout, lines, rows: lines.map(({ cells }) => cells), readable };
}
