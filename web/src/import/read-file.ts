import { detectDelimiter, splitCells } from '#src/features/imports/csv-cells.ts';
import { t } from '../texts/texts.ts';

/** The bytes that are read to show the columns of a file. */
const HEAD_BYTES = 256 * 1024;
const EXAMPLES = 3;
/** The lines from which formats are proposed. */
const SAMPLE = 1_000;

/** A column of a file. */
interface FileColumn {
  name: string;
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

/** The beginning of an archive. */
const ZIP = [0x50, 0x4b, 3, 4];

/** Reads the columns of a file to propose a map. @throws {Error} when it has none */
export async function readHead(file: File): Promise<FileHead> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (ZIP.every((byte, at) => bytes[at] === byte)) return { format: 'zip', columns: [], isMapped: true };
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  // The last line may be cut.
  const all = text.split(/\r\n?|\n/);
  const lines = (file.size > HEAD_BYTES && all.length > 1 ? all.slice(0, -1) : all).filter(
    (line) => line.trim() !== '',
  );
  const [first] = lines;
  if (first === undefined) throw new Error(t.imports.empty);
  return first.startsWith('{') ? jsonHead(lines) : csvHead(first, lines.slice(1));
}

function encodingOf([a, b]: Uint8Array): string {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return 'utf-8';
}

function csvHead(header: string, lines: readonly string[]): FileHead {
  const delimiter = detectDelimiter(header);
  const names = splitCells(header, delimiter).map((name) => name.trim());
  const rows = lines.slice(0, SAMPLE).map((line) => splitCells(line, delimiter));
  const columns = names.map((name, index) => {
    const examples = rows.slice(0, EXAMPLES).flatMap((row) => row[index] || []);
    return { name, examples, values: rows.flatMap((row) => (row.length === names.length && row[index]) || []) };
  });
  return { format: 'csv', columns, isMapped: false };
}

function jsonHead(lines: readonly string[]): FileHead {
  const objects = lines.slice(0, EXAMPLES).map(parseObject);
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const isMapped = names.includes('email') && objects.some(({ data }) => typeof data === 'object' && data !== null);
  const columns = names.map((name) => {
    const values = objects.flatMap((one) => (name in one ? [one[name]] : []));
    return {
      name,
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
