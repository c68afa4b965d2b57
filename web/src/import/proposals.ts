import { compileDateFormat } from '#src/features/imports/date-format.ts';

/** A format is proposed when it reads this part of the values. */
const MIN_PART = 0.8;

const COMMA = /^-?\d+,\d+$/;
/** `1,234` could be 1234: no decimal comma is proposed because of it. */
const CERTAIN_COMMA = /^-?(?:0\d*,\d+|\d{4,},\d+|\d+,(?:\d{1,2}|\d{4,}))$/;
const POINT = /^-?\d+\.\d+$/;

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
];
const TIMES = ['', ' H:mm', ' H:mm:ss', 'TH:mm', 'TH:mm:ss'];
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
  return ['D', 'M', 'H'].reduce((before, token) => {
    const full = before.replace(new RegExp(`(?<!${token})${token}(?!${token})`), token.repeat(2));
    const parse = compileDateFormat(full)?.parse;
    return parse && texts.every((text) => parse(text) !== undefined) ? full : before;
  }, format);
}
