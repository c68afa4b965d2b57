import { InvalidInput } from '../core/errors.ts';
import { detectDelimiter, MAX_COLUMNS, splitCells } from './csv-cells.ts';
import type { ImportLayout, ImportSettings, Position } from './imports.model.ts';
import { createLineReader } from './line-reader.ts';
import { createBlockDecoder, detectEncoding } from './text-blocks.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads the layout of a file and the position of its first line of data.
 * @throws {InvalidInput} when the file is empty, or its header cannot be read
 */
export async function readLayout(
  readFrom: (offset: number) => AsyncIterable<Buffer>,
  { format, delimiter }: Pick<ImportSettings, 'format' | 'delimiter'>,
): Promise<{ layout: ImportLayout; position: Position }> {
  const first = await firstBlock(readFrom);
  const { encoding, bom } = detectEncoding(first);
  const text = createBlockDecoder(encoding).decode(first.subarray(bom));
  const newline = text.includes(LF) || !text.includes(CR) ? LF : CR;
  const start = { offset: bom, line: 1 };
  const layout: ImportLayout = { encoding, newline, delimiter: delimiter ?? ',', columns: [] };
  if (format === 'ndjson') return { layout, position: start };
  const recognized = delimiter ?? detectDelimiter(firstLine(text, newline));
  const reader = createLineReader(readFrom, { ...layout, delimiter: recognized }, format, start);
  const header = await reader.next();
  if (header?.text === undefined || header.problem !== undefined) {
    throw new InvalidInput(`The first line of the file ${header?.problem ?? 'is missing: it names the columns'}`);
  }
  const columns = splitCells(header.text, recognized, MAX_COLUMNS + 1).map((name) => name.trim());
  if (columns.length > MAX_COLUMNS) throw new InvalidInput(`The file has more than ${MAX_COLUMNS} columns`);
  return { layout: { ...layout, delimiter: recognized, columns }, position: header.next() };
}

async function firstBlock(readFrom: (offset: number) => AsyncIterable<Buffer>): Promise<Buffer> {
  for await (const block of readFrom(0)) return block;
  throw new InvalidInput('The file is empty');
}

function firstLine(text: Buffer, newline: number): string {
  const end = text.indexOf(newline);
  return text.subarray(0, end < 0 ? text.length : end).toString();
}
