import { z } from 'zod';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import { code } from '../../platform/languages/problems.ts';
import { DELIMITERS } from './csv-cells.ts';
import { compileDateFormat, FILE_NAME } from './date-format.ts';

/** All fields of a schema, and extra keys. */
const MAX_MAPPED_COLUMNS = 300;
const MAX_COLUMN_LENGTH = 200;

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
      'The path of each column: `email`, `data.<key>`, or `other` for a JSON object of further keys. Default: columns that are named like their path',
    example: { 'E-mail': 'email', 'Full name': 'data.name' },
  });

/** How a file is read and applied, as a request states it (spec 4.7). */
export const Settings = z
  .strictObject({
    format: z.enum(IMPORT_FORMATS, code('notImportFormat')).default('csv').meta({ example: 'csv' }),
    mode: z.enum(['upsert', 'insert', 'update'], code('notImportMode')).default('upsert').meta({ example: 'upsert' }),
    arrays: z.enum(['append', 'replace'], code('notListMode')).default('append').meta({ example: 'append' }),
    invalid: z.enum(['skip', 'abort'], code('notInvalidMode')).default('skip').meta({ example: 'skip' }),
    map: ColumnMap.optional(),
    delimiter: z
      .enum(DELIMITERS, code('notDelimiter'))
      .optional()
      .meta({ description: 'Of CSV. Default: the one that the header has most often', example: ';' }),
    decimal: z.enum(['.', ','], code('notDecimalMark')).default('.').meta({ example: '.' }),
    dateFormat: z
      .string(code('notText'))
      .max(40, code('tooLongText'))
      .refine((format) => compileDateFormat(format) !== undefined, code('notDateFormat'))
      .optional()
      .meta({ description: 'Of date fields. Default: ISO 8601', example: 'DD/MM/YYYY' }),
    timeZone: z
      .string(code('notText'))
      .max(100, code('tooLongText'))
      .refine((name) => canonicalTimeZone(name) !== undefined, code('notTimeZone'))
      .optional()
      .meta({ description: 'Of times without a zone. Default: that of the app', example: 'Europe/Berlin' }),
    dryRun: z.boolean(code('notBoolean')).default(false).meta({ example: false }),
    fileName: z
      .string(code('notText'))
      .regex(FILE_NAME, code('notFileName'))
      .optional()
      .meta({ description: 'The name of the file, which lists of imports show', example: 'people.csv' }),
  })
  .meta({ id: 'ImportSettings' });
export type ImportRequest = z.output<typeof Settings>;
