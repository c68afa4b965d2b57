import { z } from 'zod';
import type { FieldOption } from './kind.ts';

/** The most indexed fields of a schema (spec 8): a record has as many index slots. */
export const MAX_INDEXED = 8;

/** The property `indexed` of a definition (spec 2.3), for the kinds that have an `indexValue`. */
export const indexed = {
  schema: z.boolean().optional(),
  label: 'Indexed',
  help: `Filters and sorting by this field stay fast with many records. At most ${MAX_INDEXED} fields of a schema.`,
  control: 'switch',
} as const satisfies FieldOption;

/** The length of an indexed text, in code points. */
const MAX_CODE_POINTS = 64;

/**
 * The part of a text that its index value depends on, in UTF-16 units. A long text costs no more
 * than this. Normalization makes at most 4 units one code point, so the value is complete.
 */
export const INDEXED_PREFIX = 1_024;

/**
 * The index value of a text: NFKC, lower case, the first 64 code points. Texts that differ only in
 * case or in compatible characters have the same value, so an index finds more than one looks for,
 * never less. A final sigma becomes a usual one: whether `toLowerCase` writes one depends on what
 * follows, and the value of a text should begin with the value of its beginning.
 */
export function indexText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, INDEXED_PREFIX).normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
  if (text.length <= MAX_CODE_POINTS) return text;
  return [...text.slice(0, MAX_CODE_POINTS * 2)].slice(0, MAX_CODE_POINTS).join('');
}
