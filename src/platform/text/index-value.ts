/** The value that an index holds for a field (decision 21). Null: absent, or of another type. */
export type IndexValue = string | number | boolean | Date | null;

/** The length of each part of an index value of a text. */
export const MAX_CODE_POINTS = 64;

/** Between the parts of an index value. The normalized form never contains it. */
const SEPARATOR = '\0';

/**
 * The part of a text that its index value depends on, in UTF-16 units. Normalization makes at most
 * 4 units one code point, so the value is complete.
 */
export const INDEXED_PREFIX = 1_024;

/**
 * The form by which texts sort: NFKC, lower case, the first 64 code points. A final sigma becomes a
 * usual one, because whether `toLowerCase` writes one depends on what follows, and the form of a
 * text should begin with the form of its beginning.
 */
export function normalizedText(value: string): string {
  // biome-ignore lint/plugin: of a bounded length, and stored values keep their form
  const text = value
    .slice(0, INDEXED_PREFIX)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(SEPARATOR, '\x01');
  return firstCodePoints(text);
}

/**
 * The index value of a text: its normalized form and, where the text differs from it, a separator
 * and the first 64 code points of the text. A longer text ends with a second separator.
 */
export function indexText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const normalized = normalizedText(value);
  if (normalized === value) return value;
  const start = firstCodePoints(value);
  return `${normalized}${SEPARATOR}${start}${start.length < value.length ? SEPARATOR : ''}`;
}

/** Whether no other text has the index value of this one. */
export function isShortText(value: string): boolean {
  return firstCodePoints(value).length === value.length;
}

/** Returns a regular expression for the index values of texts that begin with a short text. */
export function beginsPattern(pattern: string): string {
  // Not `\\0`, which makes an octal escape of the digits that follow it.
  const [separator, other] = ['\\x{0}', '[^\\x{0}]'];
  return `^(?:${pattern}${other}*+$|${other}*+${separator}${pattern})`;
}

function firstCodePoints(text: string): string {
  if (text.length <= MAX_CODE_POINTS) return text;
  return [...text.slice(0, MAX_CODE_POINTS * 2)].slice(0, MAX_CODE_POINTS).join('');
}
