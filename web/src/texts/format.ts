import { language, locale } from './language.ts';

const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(language);
/** Without a comma before the last one, in English too. */
const listLocale = language === 'en' ? 'en-GB' : language;
const lists = new Intl.ListFormat(listLocale, { type: 'conjunction' });

/** Formats a number, for example `33,003`. */
export function formatNumber(number: number): string {
  return numbers.format(number);
}

const sizes = (['byte', 'kilobyte', 'megabyte'] as const).map((unit) => {
  // The short name of a byte has no plural.
  const unitDisplay = unit === 'byte' ? 'long' : 'short';
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
});

/** Formats a number of bytes, for example `1.2 MB`, where 1 MB has 1,000,000 bytes. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return (sizes[power] as Intl.NumberFormat).format(bytes / 1_000 ** power);
}

/**
 * Returns the text of a number's plural category, with the formatted number in place of `#`:
 * `plural(33_003, { one: '# user', other: '# users' })` is `33,003 users`.
 */
export function plural(number: number, texts: { one: string; other: string }): string {
  const category = plurals.select(number);
  return (category === 'one' ? texts.one : texts.other).replaceAll('#', formatNumber(number));
}

/** Joins texts, for example `A, B and C`. */
export function and(texts: readonly string[]): string {
  return lists.format(texts);
}
