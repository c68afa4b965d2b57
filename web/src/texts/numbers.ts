import { locale } from './language.ts';

/** The marks that may stand between groups of three digits. */
const GROUPS = ".,'’ \u00A0\u202F";

/**
 * Reads and writes numbers in the notation of a locale: in German `1.234,5` is a number, and in
 * English `1,234.5`.
 */
export function numbersIn(locale: string) {
  const decimal = new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  const group = `[${GROUPS.replace(decimal, '')}]`;
  const form = new RegExp(`^([+\\-−]?)((?:\\d{1,3}(${group})\\d{3}(?:\\3\\d{3})*|\\d+)?)(?:\\${decimal}(\\d*))?$`);
  return {
    /** What separates the numbers of a list. */
    separator: decimal === ',' ? (';' as const) : (',' as const),

    /** Returns undefined for a text that is no decimal number. */
    read(text: string): number | undefined {
      const [, sign = '', whole = '', , fraction = ''] = form.exec(text.trim()) ?? [];
      if (whole === '' && fraction === '') return undefined;
      const number = Number(`${whole.replace(/\D/g, '')}.${fraction}`);
      if (!Number.isFinite(number)) return undefined;
      return sign === '' || sign === '+' || number === 0 ? number : -number;
    },

    /** Returns the text without groups and exponent, which reads as the same number. */
    write(number: number): string {
      const [, sign = '', whole = '', fraction = '', exponent = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(number)) ?? [];
      const point = whole.length + Number(exponent);
      const digits = '0'.repeat(Math.max(0, 1 - point)) + (whole + fraction).padEnd(point, '0');
      const at = Math.max(1, point);
      return sign + digits.slice(0, at) + (digits.length > at ? decimal + digits.slice(at) : '');
    },
  };
}

/** Those of the page. */
export const numbers = numbersIn(locale);

/** The number of a text; the text itself when it is none; undefined without a text. */
export function enteredNumber(text: string): number | string | undefined {
  return text.trim() === '' ? undefined : (numbers.read(text) ?? text);
}

/** The text of a value that an input of numbers shows. */
export function numberText(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? numbers.write(value) : String(value ?? '');
}
