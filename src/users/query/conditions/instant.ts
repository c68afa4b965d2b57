/**
 * The form of a date that the kind `date` accepts (spec 2.3), for MongoDB: it contains nothing of a
 * query, and no repetition can take a character of what follows it.
 */
export const DATE_FORM =
  '^\\d{4}-\\d{2}-\\d{2}(?:[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d))?$';

/** The length of a date-time in UTC with milliseconds, the longest one without an offset. */
const USUAL_LENGTH = '2026-01-31T08:30:00.123Z'.length;

/**
 * An expression for the instant of the date at a path; null for any other value. It cuts the
 * fraction of a second to milliseconds as `instantOf` does.
 */
export function instantAt(path: string): Record<string, unknown> {
  const value = `$${path}`;
  const parts = { $regexFind: { input: value, regex: '^(.{19}\\.\\d{3})\\d+(\\D.*)$' } };
  const [start, zone] = [0, 1].map((at) => ({ $arrayElemAt: ['$$parts.captures', at] }));
  const cut = { $let: { vars: { parts }, in: { $ifNull: [{ $concat: [start, zone] }, value] } } };
  const ofText = { $cond: [{ $gt: [{ $strLenBytes: value }, USUAL_LENGTH] }, cut, value] };
  const dateString = { $cond: [{ $eq: [{ $type: value }, 'string'] }, ofText, null] };
  return { $dateFromString: { dateString, onError: null, onNull: null } };
}

/** Whether a date has no time. */
export function isDay(text: string): boolean {
  return text.length === 'YYYY-MM-DD'.length;
}
