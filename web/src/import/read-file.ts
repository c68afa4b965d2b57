import { plainText } from '#src/features/exports/cell-text.ts';
import { columnName, fileColumns, keyOf } from '#src/features/imports/column-names.ts';
import { fitsHeader } from '#src/features/imports/csv-records.ts';
import { detectEncoding, fileProblem, isZip } from '#src/features/imports/file-encoding.ts';
import { type FileHead as CsvHead, HEAD_BYTES, readFileHead } from '#src/features/imports/file-head.ts';
import { t } from '../texts/texts.ts';

/** The bytes that are read of a header that the head of a file does not contain. */
const HEADER_BYTES = 1024 * 1024;
const EXAMPLES = 3;

/** A column of a file. */
interface FileColumn {
  name: string;
  /** What names the column alone: its name, or its place such as `#3`. */
  key: string;
  /** The name, with the place if another column has it. */
  label: string;
  /** The first values. */
  examples: string[];
  /** The texts of the first lines. */
  values: string[];
}

/** The columns of a file. */
export interface FileHead {
  format: 'csv' | 'ndjson' | 'zip';
  columns: FileColumn[];
  /** Lines as exports write them, of an archive or as NDJSON, need no map. */
  isMapped: boolean;
}

/** Reads the columns of a file as the service does, to propose a map. @throws {Error} */
export async function readHead(file: File): Promise<FileHead> {
  const first = await bytesOf(file, HEAD_BYTES);
  const problem = fileProblem(first);
  if (problem !== undefined) throw new Error(t.imports[problem]);
  if (isZip(first)) return { format: 'zip', columns: [], isMapped: true };
  const bytes = textBytes(first);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') throw new Error(t.imports.empty);
  if (text.trimStart().startsWith('{')) return jsonHead(linesOf(text, file.size > HEAD_BYTES));
  const head = readFileHead({ bytes, isWhole: file.size <= HEAD_BYTES });
  if (head.problem !== 'cut') return csvHead(head);
  const more = textBytes(await bytesOf(file, HEADER_BYTES));
  return csvHead(readFileHead({ bytes: more, isWhole: file.size <= HEADER_BYTES }, head.delimiter));
}

const bytesOf = async (file: File, size: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(0, size).arrayBuffer());

/** The text of a file in UTF-8, without its byte order mark. */
function textBytes(bytes: Uint8Array): Uint8Array {
  const { encoding, bom } = detectEncoding(bytes);
  const text = bytes.subarray(bom);
  if (encoding === 'utf-8') return text;
  return new TextEncoder().encode(new TextDecoder(encoding, { ignoreBOM: true }).decode(text));
}

/** The lines of NDJSON. The last one may be cut. */
function linesOf(text: string, isCut: boolean): string[] {
  const all = text.split(/\r\n?|\n/);
  return (isCut && all.length > 1 ? all.slice(0, -1) : all).filter((line) => line.trim() !== '');
}

function csvHead({ records: [header, ...rows], problem }: CsvHead): FileHead {
  if (header === undefined || problem !== undefined) throw new Error(t.imports.noHeader);
  const { names, skipped } = fileColumns(header.map(columnName));
  const lines = rows.filter((row) => fitsHeader(row, header.length));
  const columns = names.map((name, index): FileColumn => {
    const key = keyOf(index, names);
    const texts = lines.map((row) => plainText(row[skipped + index] ?? ''));
    const examples = texts.slice(0, EXAMPLES).filter((text) => text !== '');
    return { name, key, label: labelOf(name, key, index), examples, values: texts.filter((text) => text !== '') };
  });
  return { format: 'csv', columns, isMapped: false };
}

function labelOf(name: string, key: string, index: number): string {
  if (key === name) return name;
  return name === '' ? `#${index + 1}` : `${name} (#${index + 1})`;
}

function jsonHead(lines: readonly string[]): FileHead {
  const objects = lines.slice(0, EXAMPLES).map(parseObject);
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const isMapped = names.includes('email') && objects.some(({ data }) => typeof data === 'object' && data !== null);
  const columns = names.map((name, index) => {
    const values = objects.flatMap((one) => (name in one ? [one[name]] : []));
    return {
      name,
      key: name,
      label: name.trim() === '' ? `#${index + 1}` : name,
      examples: values.map((value) => JSON.stringify(value)),
      values: values.filter((value) => typeof value === 'string'),
    };
  });
  return { format: 'ndjson', columns, isMapped };
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    throw new Error(t.imports.invalidJson);
  }
}
