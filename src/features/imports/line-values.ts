import type { RecordChange } from '../../core/fields/compile.ts';
import { type FieldDefinition, isConditional } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import { applyRules, checkImported, joinIssues } from '../../core/schemas/checked-data.ts';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { prepareSubmission } from '../../core/users/prepare.ts';
import type { RecordLimits } from '../../core/users/record-limits.ts';
import type { RecordParts } from '../../core/users/record-part.ts';
import type { Submission } from '../../core/users/submission.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { type Issue, type Reason, say } from '../../platform/languages/reasons.ts';
import { JSON_BEGINNING, plainText } from '../exports/cell-text.ts';
import type { Archive } from './archive.ts';
import { type Convert, createConversion } from './cell-values.ts';
import { columnNames, columnPath, memberKey, OTHER, resolveColumns, settingsOfColumns } from './columns.ts';
import { MAX_COLUMNS, splitCells } from './csv-cells.ts';
import { fitsHeader } from './csv-records.ts';
import type { ImportLayout, ImportSettings, Omission } from './imports.model.ts';
import type { ResolvedLine, ResolveFiles } from './line-files.ts';
import { isObject, parseJson } from './line-json.ts';

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
  const fields = new Map(schema.fields.map((field) => [field.key, field]));
  if (settings.format === 'ndjson') return createJsonReader(settings, fields, timeZone);
  const { columns: header, delimiter } = layout;
  const bySettings = settingsOfColumns(settings, header);
  const found = resolveColumns(settings, header, { ...schema, format: settings.format });
  const columns = found.map(({ index, path }) => {
    const key = memberKey(path);
    return {
      index,
      path,
      key,
      field: fields.get(key),
      convert: createConversion(settings, bySettings.get(index), timeZone),
    };
  });
  const names = columnNames(columns.map(({ index, path }) => [header[index] ?? '', path]));
  return (text) => {
    const cells = splitCells(text, delimiter, MAX_COLUMNS + 1);
    if (!fitsHeader(cells, header.length)) {
      const count = cells.length > MAX_COLUMNS ? `more than ${MAX_COLUMNS}` : cells.length;
      return noValues(names, say('otherCellCount', { count, columns: header.length }));
    }
    const values = noValues(names);
    let others = '';
    for (const { index, path, key, field, convert } of columns) {
      const cell = cells[index] ?? '';
      if (path === 'email') values.email = plainText(cell);
      else if (path === OTHER) others = JSON_BEGINNING.test(cell) ? cell : plainText(cell);
      else addText(values, key, cell, field, convert);
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

/** Values of JSON are not converted; null is an absent value. */
function createJsonReader(
  settings: ImportSettings,
  fields: ReadonlyMap<string, FieldDefinition>,
  timeZone: string | undefined,
): ReadValues {
  const { map, columns = [] } = settings;
  const names = columnNames(map ?? []);
  const paths = new Map(map);
  const ofFile = { dateFormat: settings.dateFormat, convert: createConversion(settings, {}, timeZone) };
  const ofColumns = new Map(
    columns.map(({ column, ...own }) => [
      paths.get(column) ?? column,
      { dateFormat: own.dateFormat ?? settings.dateFormat, convert: createConversion(settings, own, timeZone) },
    ]),
  );
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
    const { dateFormat, convert } = ofColumns.get(`data.${key}`) ?? ofFile;
    if (isDate && dateFormat !== undefined && typeof value === 'string') addText(values, key, value, field, convert);
    else addOwn(values.data, key, value);
  }
}

const dataEntry = ([key, value]: [string, unknown]): [string, unknown] => [`data.${key}`, value];

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
  /** The values that the line is applied without. */
  omitted?: OmittedValue[];
}

type OmittedValue = Omit<Omission, 'line'>;

interface LineContext {
  limits: RecordLimits;
  parts: RecordParts;
  resolveFiles: ResolveFiles;
  archive: Archive | undefined;
}

/**
 * Checks a line as a submission (spec 2.3, 4.7). Updates may lack required fields.
 * @param omitted values that were left out before
 */
export function checkLine(
  values: LineValues,
  lease: Lease,
  settings: Pick<ImportSettings, 'mode' | 'arrays' | 'invalidValues'>,
  context: LineContext,
  now: Date,
  omitted: OmittedValue[] = [],
): CheckedLine {
  const { email: sent, data: sentData, problems, columns } = values;
  const { limits, parts, resolveFiles, archive } = context;
  const unreadable = problems.filter(({ path }) => path === '');
  if (unreadable.length > 0) return { email: undefined, refusal: describeIssues(unreadable, columns) };
  const email = normalizeEmail(sent);
  const resolved = resolveFiles(sentData, lease, archive, (place) => columnPath(place, columns));
  const { data, issues: found } = checkImported(resolved.data, lease, settings.mode === 'update');
  const issues = joinIssues([...problems, ...resolved.problems], found);
  if (email !== undefined && issues.length > 0 && settings.invalidValues === 'omit') {
    const unfit = omitted.length <= lease.schema.fields.length ? unfitValues(issues, lease) : undefined;
    if (unfit)
      return checkLine(without(values, unfit, lease), lease, settings, context, now, [...omitted, ...unfit.values()]);
  }
  if (email === undefined) issues.unshift({ path: 'email', ...say('notEmail') });
  if (email === undefined || issues.length > 0) return { email, refusal: describeIssues(issues, columns) };
  const change = lease.validator.change(data, now);
  if (settings.arrays === 'replace') replaceArrays(change);
  const submission = prepareSubmission({ email, change, now, by: 'import' }, lease, { limits, parts });
  return {
    email,
    submission,
    ...(resolved.files && { files: resolved.files }),
    ...(omitted.length > 0 && { omitted }),
  };
}

/** The values to leave out, by key; undefined if a problem is of another kind. */
function unfitValues(issues: readonly Issue[], { schema }: Lease): ReadonlyMap<string, OmittedValue> | undefined {
  const values = new Map<string, OmittedValue>();
  for (const { path, message } of issues) {
    const key = fieldKey(path);
    const field = schema.fields.find((one) => one.key === key);
    if (!field || (field.required && !isConditional(field))) return undefined;
    if (!values.has(field.key)) values.set(field.key, { path, message });
  }
  return values;
}

function without(values: LineValues, unfit: ReadonlyMap<string, unknown>, lease: Lease): LineValues {
  const left = Object.entries(applyRules(values.data, lease)).filter(([key]) => !unfit.has(key));
  const problems = values.problems.filter(({ path }) => !unfit.has(fieldKey(path)));
  return { ...values, data: Object.fromEntries(left), problems };
}

/** The key in a path of `data`; empty for another path. */
const fieldKey = (path: string): string => (path.startsWith('data.') ? (path.split('.', 2)[1] ?? '') : '');

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
