// Work on texts of any length that anybody may send. Each function takes time that grows with the
// length alone; `npm run lint` refuses the methods that they replace (scripts/no-slow-text.grit).

/** A placeholder in a text, such as `{email}`; its group is the name. */
export const PLACEHOLDER = /\{([^{}\n]*)\}/g;

/** The stream-safe format of Unicode (UAX #15) has at most so many marks in a row. */
const MAX_MARKS = 30;
/** Has no form of its own and ends a run of marks. */
const GRAPHEME_JOINER = '\u034f';
/** Marks, and the two letters that decompose to one. */
const MARK = '[\\p{M}\\uff9e\\uff9f]';
const LONG_RUN = new RegExp(`${MARK}{${MAX_MARKS}}(?=${MARK})`, 'gu');

/**
 * Returns the normalization form of a text. The method of strings sorts each run of marks in
 * quadratic time, so longer runs are divided first, as the stream-safe format does.
 */
export function normalized(text: string, form: 'NFC' | 'NFKD'): string {
  return text.replace(LONG_RUN, `$&${GRAPHEME_JOINER}`).normalize(form);
}

/**
 * Returns a text without these characters at its beginning and its end. A pattern such as `[. ]+$`
 * begins again at each of them.
 */
export function trimmedOf(characters: string, text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && characters.includes(text.charAt(from))) from += 1;
  while (from < to && characters.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
