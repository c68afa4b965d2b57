import { compileDateFormat } from '#src/features/imports/date-format.ts';
import { BOOLEAN_TEXTS } from '#src/platform/text/plain-texts.ts';
import type { Field } from '../api/endpoints.ts';
import type { ColumnDraft } from './column-draft.ts';

/** A format is proposed when it reads this part of the values. */
const MIN_PART = 0.8;

const COMMA = /^-?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/;
/** `1,234` could be 1234: no decimal comma is proposed because of it. */
const CERTAIN_COMMA = /^-?(?:0\d*,\d+|\d{4,},\d+|\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:\.\d{3})+,\d+)$/;
const POINT = /^-?(?:\d+|\d{1,3}(?:,\d{3})+)\.\d+$/;

/** Proposes the decimal mark of the numbers of a file. */
export function decimalOf(values: readonly string[]): '.' | ',' {
  const texts = values.map((value) => value.trim());
  const numberOf = (pattern: RegExp): number => texts.filter((text) => pattern.test(text)).length;
  return numberOf(CERTAIN_COMMA) > 0 && numberOf(COMMA) > numberOf(POINT) ? ',' : '.';
}

/** A proposal for `dateFormat`. */
interface DateProposal {
  /** Empty for ISO 8601, and when the values do not tell. */
  format: string;
  /** The formats between which the values do not decide; else empty. */
  choices: string[];
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;
const SEPARATORS = ['.', '/', '-'];
const ORDERS = [
  ['D', 'M', 'YYYY'],
  ['M', 'D', 'YYYY'],
  ['YYYY', 'M', 'D'],
  ['D', 'M', 'YY'],
  ['M', 'D', 'YY'],
];
const CLOCKS = ['H:mm', 'H:mm:ss', 'h:mm A', 'h:mm:ss A'];
const TIMES = ['', ...[' ', 'T', ', '].flatMap((between) => CLOCKS.map((clock) => between + clock))];
/** The formats that are tried, with one or two digits for days, months and hours. */
const FORMATS = SEPARATORS.flatMap((separator) =>
  ORDERS.flatMap((order) => TIMES.map((time) => order.join(separator) + time)),
);

/** Proposes the format of the dates of a file. */
export function dateFormatOf(values: readonly string[]): DateProposal {
  const texts = values.map((value) => value.trim()).filter((text) => text !== '');
  const iso = texts.filter((text) => ISO.test(text)).length;
  const read = FORMATS.map((format) => ({ format, texts: texts.filter(readerOf(format)) }));
  const most = Math.max(...read.map((one) => one.texts.length));
  if (most <= iso || most < texts.length * MIN_PART) return { format: '', choices: [] };
  const best = read.filter((one) => one.texts.length === most).map((one) => inFullDigits(one.format, one.texts));
  const [first = ''] = best;
  // Dates with points begin with the day everywhere.
  return best.length === 1 || first.includes('.') ? { format: first, choices: [] } : { format: '', choices: best };
}

/** Whether a format reads most of the values; the empty one: ISO 8601. */
function fitsFormat(format: string, values: readonly string[]): boolean {
  const texts = values.map((value) => value.trim()).filter((text) => text !== '');
  const reads = format === '' ? (text: string) => ISO.test(text) : readerOf(format);
  return texts.filter(reads).length >= texts.length * MIN_PART;
}

/** Whether ISO 8601 or a format reads all values. */
export function areDates(values: readonly string[], format: string): boolean {
  const reads = format === '' ? (text: string) => ISO.test(text) : readerOf(format);
  return values.every((value) => reads(value.trim()));
}

/** Words of checkboxes in common languages and programs, besides those without a setting. */
const TRUE_WORDS = ['ja', 'j', 'y', 'wahr', 'oui', 'vrai', 'sí', 'si', 'x', '✓', '✔', 'checked'];
const FALSE_WORDS = ['nein', 'n', 'falsch', 'non', 'faux', 'unchecked'];
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...BOOLEAN_TEXTS,
  ...TRUE_WORDS.map((word) => [word, true] as const),
  ...FALSE_WORDS.map((word) => [word, false] as const),
]);

/** The words of a checkbox in values; undefined if one is no known word. */
export function checkboxWords(values: readonly string[]): Pick<ColumnDraft, 'true' | 'false'> | undefined {
  const texts = [...new Set(values.map((value) => value.trim()).filter((text) => text !== ''))];
  const known = texts.map((text) => WORDS.get(text.toLowerCase()));
  if (texts.length === 0 || known.includes(undefined)) return undefined;
  if (texts.every((text) => BOOLEAN_TEXTS.has(text.toLowerCase()))) return {};
  const wordsOf = (value: boolean): string => texts.filter((_, index) => known[index] === value).join(', ');
  return {
    ...(wordsOf(true) !== '' && { true: wordsOf(true) }),
    ...(wordsOf(false) !== '' && { false: wordsOf(false) }),
  };
}

/** Texts that people enter where there is no value. */
const NOTHING = new Set(['n/a', 'na', 'n.a.', 'k.a.', 'k. a.', 'null', 'none', '-', '–', '—', '?']);

/** The texts among values that mean no value. */
export const emptyWords = (values: readonly string[]): string[] => [
  ...new Set(values.map((value) => value.trim()).filter((text) => NOTHING.has(text.toLowerCase()))),
];

/** Proposals for a file: for all of it, and for the columns that differ. */
interface ValueProposals {
  decimal: '.' | ',';
  dates: DateProposal;
  columns: (ColumnDraft | undefined)[];
}

interface ColumnOfKind {
  kind: Field['kind'] | undefined;
  values: readonly string[];
}

/** Proposes settings for the columns of a file, by the kinds of their fields. */
export function proposeSettings(columns: readonly ColumnOfKind[]): ValueProposals {
  const ofKind = (kind: Field['kind']) => columns.filter((column) => column.kind === kind);
  const decimal = decimalOf(ofKind('number').flatMap(({ values }) => values));
  const all = dateFormatOf(ofKind('date').flatMap(({ values }) => values));
  const isOne = all.choices.length > 0 || ofKind('date').every(({ values }) => fitsFormat(all.format, values));
  const dates = isOne ? all : { format: '', choices: [] };
  const proposed = columns.map(({ kind, values }): ColumnDraft | undefined => {
    if (kind === 'date' && dates.choices.length === 0 && !fitsFormat(dates.format, values)) {
      const { format } = dateFormatOf(values);
      return format === '' ? undefined : { dateFormat: format };
    }
    if (kind === 'number') {
      const own = decimalOf(values);
      const isOther = own === ',' || (values.some((value) => POINT.test(value.trim())) && own !== decimal);
      return own !== decimal && isOther ? { decimal: own } : undefined;
    }
    return kind === 'checkbox' ? checkboxWords(values) : undefined;
  });
  return { decimal, dates, columns: proposed };
}

/** Whether a format reads a text as a day of the calendar. */
function readerOf(format: string): (text: string) => boolean {
  const parse = compileDateFormat(format)?.parse;
  return (text) => {
    const iso = parse?.(text);
    if (iso === undefined) return false;
    const [day = '', time = ''] = iso.split('T');
    const date = new Date(`${day}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && /^(?:$|[01]\d|2[0-3])/.test(time);
  };
}

/** The format with two digits where all values have two, such as `DD/MM/YYYY` for `D/M/YYYY`. */
function inFullDigits(format: string, texts: readonly string[]): string {
  return [['D', 'M'], ['H'], ['h']].reduce((before, tokens) => {
    const full = tokens.reduce(
      (one, token) => one.replace(new RegExp(`(?<!${token})${token}(?!${token})`), token.repeat(2)),
      before,
    );
    const parse = compileDateFormat(full)?.parse;
    return parse && texts.every((text) => parse(text) !== undefined) ? full : before;
  }, format);
}
