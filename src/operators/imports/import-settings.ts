import { z } from 'zod';
import { canonicalTimeZone } from '../../platform/core/identifiers.ts';
import { DELIMITERS } from './csv-cells.ts';
import { compileDateFormat, DATE_FORMAT_HELP, FILE_NAME } from './date-format.ts';

/** All fields of a schema, and extra keys. */
const MAX_MAPPED_COLUMNS = 300;
const MAX_COLUMN_LENGTH = 200;

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
    `must be an object of at most ${MAX_MAPPED_COLUMNS} columns with the path of each`,
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
    format: z.enum(['csv', 'ndjson'], 'must be csv or ndjson').default('csv').meta({ example: 'csv' }),
    mode: z
      .enum(['upsert', 'insert', 'update'], 'must be upsert, insert or update')
      .default('upsert')
      .meta({ example: 'upsert' }),
    arrays: z.enum(['append', 'replace'], 'must be append or replace').default('append').meta({ example: 'append' }),
    invalid: z.enum(['skip', 'abort'], 'must be skip or abort').default('skip').meta({ example: 'skip' }),
    map: ColumnMap.optional(),
    delimiter: z
      .enum(DELIMITERS, 'must be a comma, a semicolon, a tab or |')
      .optional()
      .meta({ description: 'Of CSV. Default: the one that the header has most often', example: ';' }),
    decimal: z.enum(['.', ','], 'must be . or ,').default('.').meta({ example: '.' }),
    dateFormat: z
      .string('must be a string')
      .max(40, 'is too long')
      .refine((format) => compileDateFormat(format) !== undefined, DATE_FORMAT_HELP)
      .optional()
      .meta({ description: 'Of date fields. Default: ISO 8601', example: 'DD/MM/YYYY' }),
    timeZone: z
      .string('must be a string')
      .max(100, 'is too long')
      .refine((name) => canonicalTimeZone(name) !== undefined, 'must be an IANA time zone like Europe/Berlin')
      .optional()
      .meta({ description: 'Of times without a zone. Default: that of the app', example: 'Europe/Berlin' }),
    dryRun: z.boolean('must be true or false').default(false).meta({ example: false }),
    fileName: z
      .string('must be a string')
      .regex(FILE_NAME, 'must have 1 to 200 characters, without @ and control characters')
      .optional()
      .meta({ description: 'The name of the file, which lists of imports show', example: 'people.csv' }),
  })
  .meta({ id: 'ImportSettings' });
export type ImportRequest = z.output<typeof Settings>;
