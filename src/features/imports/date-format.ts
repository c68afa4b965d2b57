const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
};
const TOKEN = /YYYY|MM?|DD?|HH?|mm|ss/g;
const SEPARATORS = /^[ \-./:,T]*$/;

/** Compiles a format like `D.M.YYYY HH:mm`, if valid. No calendar check; times have no zone. */
export function compileDateFormat(format: string) {
  const used = format.match(TOKEN) ?? [];
  const parts = used.map((token) => (token === 'mm' ? 'minute' : token.charAt(0)));
  const hasTime = parts.includes('H');
  const isComplete =
    ['Y', 'M', 'D'].every((part) => parts.includes(part)) &&
    parts.includes('minute') === hasTime &&
    (!parts.includes('s') || hasTime);
  if (!isComplete || new Set(parts).size !== parts.length || !SEPARATORS.test(format.replace(TOKEN, ''))) {
    return undefined;
  }
  const separators = format.split(TOKEN).map((text) => text.replace(/[.\-/]/g, '\\$&'));
  const pattern = new RegExp(`^${separators.map((text, index) => text + (TOKENS[used[index] ?? ''] ?? '')).join('')}$`);
  /** Returns the ISO 8601 text of a date or of a local time; undefined for others. */
  const parse = (text: string): string | undefined => {
    const found = pattern.exec(text)?.groups;
    if (!found) return undefined;
    const { year, month = '', day = '', hour, minute, second = '00' } = found;
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return hour === undefined ? date : `${date}T${hour.padStart(2, '0')}:${minute}:${second}`;
  };
  return { parse, hasTime };
}

/** The file names that an import keeps. One with an `@` could be the email of a person. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
export const FILE_NAME = /^[^@\u0000-\u001f\u007f-\u009f]{1,200}$/u;

/** Absent for a name that an import does not keep. */
export const fileNameSetting = (name: string): { fileName?: string } =>
  FILE_NAME.test(name) ? { fileName: name } : {};
