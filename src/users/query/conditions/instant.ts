/**
 * The form of a date that the kind `date` accepts (spec 2.3), also for MongoDB: it contains nothing
 * of a query, and no repetition can take a character of what follows it.
 */
export const DATE_FORM =
  '^\\d{4}-\\d{2}-\\d{2}(?:[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?$';

const FORM = new RegExp(DATE_FORM);
const MINUTE_MS = 60_000;

/**
 * Returns the instant of a stored date, in milliseconds since 1970, and undefined for a text that
 * is not a valid date. A date without a time is midnight in UTC. Parts of a millisecond are
 * dropped.
 */
export function instantOf(text: string): number | undefined {
  if (!FORM.test(text)) return undefined;
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  if (isDay(text)) return day;
  const zone = /(?:[Zz]|([+-])(\d{2}):(\d{2}))$/.exec(text);
  const [, sign, hours = '0', minutes = '0'] = zone ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const [hour = 0, minute = 0, second = 0] = text.slice(11, 19).split(':').map(Number);
  const fraction = /\.(\d{1,3})/.exec(text)?.[1] ?? '0';
  return day + (hour * 60 + minute) * MINUTE_MS + second * 1_000 + Number(fraction.padEnd(3, '0')) - offset;
}

/** Whether a date has no time. */
export function isDay(text: string): boolean {
  return text.length === 'YYYY-MM-DD'.length;
}
