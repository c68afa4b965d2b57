import '../schema-editor/draft/no-eval.ts';
import { compileSchema } from '#src/core/fields/compile.ts';
import { createConversion } from '#src/features/imports/cell-values.ts';
import { compileDateFormat } from '#src/features/imports/date-format.ts';
import { isIsoDate } from '#src/platform/text/iso-date.ts';
import type { Field } from '../api/endpoints.ts';
import { calendarDay } from '../components/content/time.tsx';
import { labelOf } from '../components/form/labels.ts';
import { locale } from '../texts/language.ts';
import { numberText } from '../texts/numbers.ts';
import { reasonText } from '../texts/reasons.ts';
import { t } from '../texts/texts.ts';
import type { ColumnSettings } from './column-draft.ts';

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** The settings of a file. */
export interface FileSettings {
  decimal: '.' | ',';
  dateFormat: string;
  timeZone: string;
}

/** What an import makes of a text. */
export interface ReadValue {
  text: string;
  /** The value in words; absent: the text cannot be read. */
  value?: string;
  problem?: string;
}

/** Reads texts of a column as the service does. */
export function readValues(
  field: Field,
  file: FileSettings,
  column: ColumnSettings,
  texts: readonly string[],
): ReadValue[] {
  // A zone or a format that is still being entered does not count.
  const timeZone = [column.timeZone, file.timeZone].find((zone) => zone && isZone(zone)) ?? 'UTC';
  const dateFormat = [column.dateFormat, file.dateFormat].find((format) => format && compileDateFormat(format));
  const settings = { decimal: file.decimal, ...(dateFormat && { dateFormat }), timeZone };
  const { dateFormat: _format, timeZone: _zone, ...rest } = column;
  const convert = createConversion(settings, rest);
  const validator = compileSchema({ rejectUnknown: false, fields: [{ ...field, required: false }] as never });
  return texts.map((text): ReadValue => {
    const read = convert(field as never, text);
    if (read === undefined) return { text, value: t.imports.noValue };
    if (!('value' in read)) return { text, problem: reasonText(read.problem) };
    const [issue] = validator.issues({ [field.key]: read.value }, 'staff', true);
    return issue ? { text, problem: reasonText(issue) } : { text, value: inWords(field, read.value, timeZone) };
  });
}

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function inWords(field: Field, value: unknown, timeZone: string): string {
  if (typeof value === 'boolean') return value ? t.components.yes : t.components.no;
  if (typeof value === 'number') return numberText(value);
  if (field.kind === 'date' && typeof value === 'string' && isIsoDate(value)) {
    if (value.length === DAY_LENGTH) return calendarDay(value);
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(
      new Date(value),
    );
  }
  const shown = labelOf(field, value);
  if (Array.isArray(shown))
    return shown.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' · ');
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
