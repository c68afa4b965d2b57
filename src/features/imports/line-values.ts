import type { KindName } from '../../core/fields/base/browser-kinds.ts';
import type { ConvertedText } from '../../core/fields/base/kind.ts';
import type { RecordChange } from '../../core/fields/compile.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { EXTRA_KINDS, getKind } from '../../core/fields/kinds/registry.ts';
import { checkImported, joinIssues } from '../../core/schemas/checked-data.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { prepareSubmission } from '../../core/users/prepare.ts';
import type { RecordLimits } from '../../core/users/record-limits.ts';
import type { RecordParts } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import { InvalidInput } from '../../platform/core/errors.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { parseStrictJson } from '../../platform/http/json-body.ts';
import { type Issue, type Reason, say } from '../../platform/languages/reasons.ts';
import { toInstantIn } from '../display/local-time.ts';
import { valueFromForm } from '../display/presentation.ts';
import { plainText } from '../exports/csv-cells.ts';
import type { Archive } from './archive.ts';
import { columnNames, columnPath, memberKey, OTHER, resolveColumns } from './columns.ts';
import { MAX_COLUMNS, splitCells } from './csv-cells.ts';
import { compileDateFormat } from './date-format.ts';
import type { ImportLayout, ImportSettings } from './imports.model.ts';
import type { ResolvedLine, ResolveFiles } from './line-files.ts';

/** An email as it is in the file, and `data` as in a submission. */
interface LineValues {
  email: string;
  data: Record<string, unknown>;
  /** Values that could not be converted, and lines that could not be read. */
  problems: Issue[];
  columns: ReadonlyMap<string, string>;
}

export type ReadValues = (text: string) => LineValues;

/** Reads the values of a line by the kinds of a schema (spec 4.7). Problems are in the result. */
export function createValueReader(
  schema: { rejectUnknown: boolean; fields: readonly FieldDefinition[] },
  settings: ImportSettings,
  layout: Pick<ImportLayout, 'columns' | 'delimiter'>,
  timeZone: string | undefined,
): ReadValues {
  const convert = createConversion(settings, timeZone);
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  if (settings.format === 'ndjson') return createJsonReader(settings, fields, convert);
  const columns = resolveColumns(settings, layout.columns, { ...schema, format: settings.format });
  const names = columnNames(columns.map(({ index, path }) => [layout.columns[index] ?? '', path]));
  return (text) => {
    const cells = splitCells(text, layout.delimiter, MAX_COLUMNS + 1);
    if (cells.length !== layout.columns.length) {
      const count = cells.length > MAX_COLUMNS ? `more than ${MAX_COLUMNS}` : cells.length;
      return noValues(names, say('otherCellCount', { count, columns: layout.columns.length }));
    }
    const values = noValues(names);
    let others = '';
    for (const { index, path } of columns) {
      const cell = plainText(cells[index] ?? '');
      const key = memberKey(path);
      if (path === 'email') values.email = cell;
      else if (path === OTHER) others = cell;
      else addText(values, key, cell, fields.get(key), convert);
    }
    if (others !== '') addOthers(values, parseJson(others).value);
    return values;
  };
}

/** @param problem why the line cannot be read */
function noValues(columns: LineValues['columns'], problem?: Reason): LineValues {
  const problems = problem === undefined ? [] : [{ path: '', ...problem }];
  return { email: '', data: {}, problems, columns };
}

/** Adds the members of the column `other`. A key with a column of its own has the value of that. */
function addOthers({ data, problems }: LineValues, others: unknown): void {
  if (!isObject(others)) {
    problems.push({ path: OTHER, ...say('notJsonObject') });
    return;
  }
  for (const [key, value] of Object.entries(others)) if (!Object.hasOwn(data, key)) addOwn(data, key, value);
}

/** Defines an own property, also for `__proto__`; validation refuses that key. */
function addOwn(data: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(data, key, { value, enumerable: true, configurable: true, writable: true });
}

type Convert = (field: FieldDefinition | undefined, text: string) => ConvertedText | undefined;

function addText(
  { data, problems }: LineValues,
  key: string,
  text: string,
  field: FieldDefinition | undefined,
  convert: Convert,
): void {
  if (text === '') return;
  const converted = convert(field, text);
  if (converted === undefined) return;
  if ('value' in converted) data[key] = converted.value;
  else problems.push({ path: `data.${key}`, ...converted.problem });
}

/** The result is undefined when the field is absent. */
function createConversion({ decimal, dateFormat, timeZone: own }: ImportSettings, appZone?: string): Convert {
  const zone = own ?? appZone;
  const instantOf = zone === undefined ? undefined : toInstantIn(zone);
  // Without a zone the result is not a date, and the message of the kind asks for one.
  const context = { toInstant: instantOf ?? (() => '') };
  const format = dateFormat === undefined ? undefined : compileDateFormat(dateFormat);

  function convertDate(kind: KindName, text: string): ConvertedText | undefined {
    const iso = format?.parse(text.trim());
    if (iso === undefined) return { problem: say('notDateLike', { format: dateFormat ?? '' }) };
    if (format?.hasTime && !instantOf) return { problem: say('noZoneSetting') };
    return valueFromForm({ kind }, [iso], context);
  }

  return (field, text) => {
    const kind = field?.kind ?? EXTRA_KINDS.one;
    const { cell } = getKind(kind);
    if (cell === 'date' && format && text.trim() !== '') return convertDate(kind, text);
    if (cell === 'number' && decimal === ',') {
      if (text.includes('.')) return { problem: say('notDecimalComma') };
      return valueFromForm({ kind }, [text.replace(',', '.')], context);
    }
    if (cell === 'items') return { value: parseItems(text) };
    // The rest of the definition decides on texts of forms, in which an empty one has a meaning.
    return valueFromForm(field && 'enum' in field ? { kind, enum: field.enum } : { kind }, [text], context);
  };
}

/** The items of a JSON array, which exports write, or the text as one item. */
function parseItems(text: string): unknown[] {
  const { value } = text.trimStart().startsWith('[') ? parseJson(text) : {};
  return Array.isArray(value) ? value : [text];
}

function parseJson(text: string): { value?: unknown; problem?: Reason } {
  try {
    return { value: parseStrictJson(text, 'line') };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const { message, code, params } = error;
    return { problem: { message, code, params } };
  }
}

/** Values of JSON are not converted; null is an absent value. */
function createJsonReader(
  settings: ImportSettings,
  fields: ReadonlyMap<string, FieldDefinition>,
  convert: Convert,
): ReadValues {
  const { map } = settings;
  const names = columnNames(map ?? []);
  return (text) => {
    const { value: line, problem } = parseJson(text);
    if (!isObject(line)) return noValues(names, problem ?? say('lineNotObject'));
    const values = noValues(names);
    if (!map && line.data !== undefined && !isObject(line.data)) {
      values.problems.push({ path: 'data', ...say('notObject') });
    }
    const entries: [path: string, value: unknown][] = map
      ? map.map(([name, path]) => [path, ownMember(line, name)])
      : [['email', line.email], ...Object.entries(isObject(line.data) ? line.data : {}).map(dataEntry)];
    let others: unknown;
    for (const [path, value] of entries) {
      if (value === null || value === undefined) continue;
      if (path === 'email') values.email = typeof value === 'string' ? value : '';
      else if (path === OTHER) others = value;
      else addValue(values, memberKey(path), value);
    }
    if (others !== undefined) addOthers(values, others);
    return values;
  };

  function addValue(values: LineValues, key: string, value: unknown): void {
    const field = fields.get(key);
    const isDate = field && getKind(field.kind).cell === 'date';
    if (isDate && settings.dateFormat !== undefined && typeof value === 'string')
      addText(values, key, value, field, convert);
    else addOwn(values.data, key, value);
  }
}

const dataEntry = ([key, value]: [string, unknown]): [string, unknown] => [`data.${key}`, value];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of this name, or else the value at this path. */
function ownMember(line: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(line, name)) return line[name];
  let value: unknown = line;
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

export interface CheckedLine {
  /** Normalized; undefined when the line has no valid email. */
  email: string | undefined;
  submission?: Submission;
  refusal?: string;
  files?: ResolvedLine['files'];
}

interface LineContext {
  limits: RecordLimits;
  parts: RecordParts;
  resolveFiles: ResolveFiles;
  archive: Archive | undefined;
}

/** Checks a line as a submission (spec 2.3, 4.7). Updates may lack required fields. */
export function checkLine(
  { email: sent, data: sentData, problems, columns }: LineValues,
  lease: Lease,
  { mode, arrays }: Pick<ImportSettings, 'mode' | 'arrays'>,
  { limits, parts, resolveFiles, archive }: LineContext,
  now: Date,
): CheckedLine {
  const unreadable = problems.filter(({ path }) => path === '');
  if (unreadable.length > 0) return { email: undefined, refusal: describeIssues(unreadable, columns) };
  const email = normalizeEmail(sent);
  const resolved = resolveFiles(sentData, lease, archive, (place) => columnPath(place, columns));
  const { data, issues: found } = checkImported(resolved.data, lease, mode === 'update');
  const issues = joinIssues([...problems, ...resolved.problems], found);
  if (email === undefined) issues.unshift({ path: 'email', ...say('notEmail') });
  if (email === undefined || issues.length > 0) return { email, refusal: describeIssues(issues, columns) };
  const change = lease.validator.change(data, now);
  if (arrays === 'replace') replaceArrays(change);
  const submission = prepareSubmission({ email, change, now, by: 'import' }, lease, { limits, parts });
  return { email, submission, ...(resolved.files && { files: resolved.files }) };
}

/** The items replace the values of the fields. */
function replaceArrays(change: RecordChange): void {
  Object.assign(change.set, change.append);
  change.append = {};
}

/** The reasons of a reject in one text, with columns or paths, and without values of the line. */
function describeIssues(issues: readonly Issue[], columns: LineValues['columns']): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${columnPath(path, columns)} ${message}`))
    .join('; ');
}
