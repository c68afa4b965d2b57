const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<hour>0[1-9]|1[0-2])',
  h: '(?<hour>0?[1-9]|1[0-2])',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  A: '(?<half>[AP]M)',
};
const TOKEN = /YYYY|YY|MM?|DD?|HH?|hh?|mm|ss|A/g;
const SEPARATORS = /^[ \-./:,T]*$/;
/** Longer texts are no dates. */
const MAX_LENGTH = 100;
/** The spaces that programs write before AM and PM. */
const SPACES = /[\u00A0\u202F]/g;
/** The last two digits of the first year of 19YY. */
const FIRST_OF_1900 = 70;

const partOf = (token: string): string =>
  token === 'mm' ? 'minute' : token === 'ss' ? 'second' : token.charAt(0).toUpperCase();

/** Compiles a format like `D.M.YYYY HH:mm`, if valid. No calendar check; times have no zone. */
export function compileDateFormat(format: string) {
  const used = format.match(TOKEN) ?? [];
  const parts = used.map(partOf);
  const hasTime = parts.includes('H');
  const isComplete =
    ['Y', 'M', 'D'].every((part) => parts.includes(part)) &&
    parts.includes('minute') === hasTime &&
    (!parts.includes('second') || hasTime) &&
    parts.includes('A') === used.some((token) => token.startsWith('h'));
  if (!isComplete || new Set(parts).size !== parts.length || !SEPARATORS.test(format.replace(TOKEN, ''))) {
    return undefined;
  }
  const separators = format.split(TOKEN).map((text) => text.replace(/[.\-/]/g, '\\$&'));
  const source = separators.map((text, index) => text + (TOKENS[used[index] ?? ''] ?? '')).join('');
  const pattern = new RegExp(`^${source}$`, 'i');
  /** Returns the ISO 8601 text of a date or of a local time; undefined for others. */
  const parse = (text: string): string | undefined => {
    const found = text.length > MAX_LENGTH ? undefined : pattern.exec(text.replace(SPACES, ' '))?.groups;
    if (!found) return undefined;
    const { year = '', month = '', day = '', hour, minute, second = '00', half } = found;
    const date = `${fullYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return hour === undefined ? date : `${date}T${hourOf(hour, half)}:${minute}:${second}`;
  };
  return { parse, hasTime };
}

function fullYear(year: string): string {
  if (year.length > 2) return year;
  return (Number(year) >= FIRST_OF_1900 ? '19' : '20') + year;
}

/** @param half AM or PM, in any case */
function hourOf(hour: string, half: string | undefined): string {
  const isLate = half?.toUpperCase() === 'PM';
  const value = half === undefined ? Number(hour) : (Number(hour) % 12) + (isLate ? 12 : 0);
  return String(value).padStart(2, '0');
}

/** The file names that an import keeps. One with an `@` could be the email of a person. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
export const FILE_NAME = /^[^@\u0000-\u001f\u007f-\u009f]{1,200}$/u;

/** Absent for a name that an import does not keep. */
export const fileNameSetting = (name: string): { fileName?: string } =>
  FILE_NAME.test(name) ? { fileName: name } : {};
