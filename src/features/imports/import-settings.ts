import { z } from 'zod';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import { component } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { MAX_COLUMN_LENGTH } from './column-names.ts';
import { DELIMITERS } from './csv-cells.ts';
import { compileDateFormat, FILE_NAME } from './date-format.ts';

/** All fields of a schema, and extra keys. */
const MAX_MAPPED_COLUMNS = 300;

/** `zip`: CSV with files, as exports write it. */
const IMPORT_FORMATS = ['csv', 'ndjson', 'zip'] as const;

const ColumnMap = z
  .custom<Record<string, string>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(
        ([column, path]) => column.length <= MAX_COLUMN_LENGTH && typeof path === 'string' && path.length <= 100,
      ) &&
      Object.keys(value).length <= MAX_MAPPED_COLUMNS,
    code('notMapping', { max: MAX_MAPPED_COLUMNS }),
  )
  .meta({
    override: { type: 'object', additionalProperties: { type: 'string' } },
    description:
      'The path of each column, which its name or its place such as `#3` names: `email`, `data.<key>`, or `other` for a JSON object of further keys. Default: columns that are named like their path',
    example: { 'E-mail': 'email', 'Full name': 'data.name', '#3': 'data.age' },
  });

/** The settings of values that a file has, and each column may have. */
const valueMembers = {
  decimal: z.enum(['.', ','], code('notDecimalMark')),
  dateFormat: z
    .string(code('notText'))
    .max(40, code('tooLongText'))
    .refine((format) => compileDateFormat(format) !== undefined, code('notDateFormat')),
  timeZone: z
    .string(code('notText'))
    .max(100, code('tooLongText'))
    .refine((name) => canonicalTimeZone(name) !== undefined, code('notTimeZone')),
};

const MAX_WORDS = 50;
const Words = z
  .array(z.string(code('notText')).max(100, code('tooLongText')))
  .max(MAX_WORDS, code('tooLarge', { max: MAX_WORDS }));

/** How the texts of a column become values. */
const ColumnSettings = component('ImportColumnSettings', {
  dateFormat: valueMembers.dateFormat.optional().meta({ example: 'MM/DD/YY h:mm A' }),
  timeZone: valueMembers.timeZone.optional().meta({ example: 'Europe/Berlin' }),
  decimal: valueMembers.decimal.optional().meta({ example: ',' }),
  separator: z
    .string(code('notText'))
    .min(1, code('empty'))
    .max(10, code('tooLongText'))
    .optional()
    .meta({ description: 'Between choices. Default: a semicolon', example: ',' }),
  empty: Words.optional().meta({ description: 'The texts that are no value, in any case', example: ['n/a'] }),
  true: Words.optional().meta({ description: 'The texts of a ticked checkbox, in any case', example: ['Ja'] }),
  false: Words.optional().meta({ description: 'Those of one that is not ticked', example: ['Nein'] }),
});
export type ColumnSettings = z.output<typeof ColumnSettings>;

const Columns = z
  .record(z.string().max(MAX_COLUMN_LENGTH, code('tooLongText')), ColumnSettings, code('notObject'))
  .refine(
    (value) => Object.keys(value).length <= MAX_MAPPED_COLUMNS,
    code('tooManyColumns', { max: MAX_MAPPED_COLUMNS }),
  )
  .meta({
    description: 'Settings of columns, by their name or place, which beat those of the file',
    example: { Birthday: { dateFormat: 'DD.MM.YY' } },
  });

/** How a file is read and applied, as a request states it (spec 4.7). */
export const Settings = component('ImportSettings', {
  format: z.enum(IMPORT_FORMATS, code('notImportFormat')).default('csv').meta({ example: 'csv' }),
  mode: z.enum(['upsert', 'insert', 'update'], code('notImportMode')).default('upsert').meta({ example: 'upsert' }),
  arrays: z.enum(['append', 'replace'], code('notListMode')).default('append').meta({ example: 'append' }),
  invalid: z.enum(['skip', 'abort'], code('notInvalidMode')).default('skip').meta({ example: 'skip' }),
  invalidValues: z.enum(['reject', 'omit'], code('notInvalidValuesMode')).optional().meta({
    description:
      'Of a field that is not required: `reject` rejects the line (default), `omit` leaves the value out and applies the line',
    example: 'omit',
  }),
  map: ColumnMap.optional(),
  columns: Columns.optional(),
  delimiter: z.enum(DELIMITERS, code('notDelimiter')).optional().meta({
    description: 'Of CSV. Default: the one under which the first records have the same, largest number of cells',
    example: ';',
  }),
  decimal: valueMembers.decimal.default('.').meta({ example: '.' }),
  dateFormat: valueMembers.dateFormat
    .optional()
    .meta({ description: 'Of date fields. Default: ISO 8601', example: 'DD/MM/YYYY' }),
  timeZone: valueMembers.timeZone
    .optional()
    .meta({ description: 'Of times without a zone. Default: that of the app', example: 'Europe/Berlin' }),
  dryRun: z.boolean(code('notBoolean')).default(false).meta({ example: false }),
  fileName: z
    .string(code('notText'))
    .regex(FILE_NAME, code('notFileName'))
    .optional()
    .meta({ description: 'The name of the file, which lists of imports show', example: 'people.csv' }),
});
export type ImportRequest = z.output<typeof Settings>;
