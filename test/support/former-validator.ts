import { type Issue, MAX_ISSUES } from '../../src/core/errors.ts';
import { printable } from '../../src/fields/base/kind.ts';
import {
  compilePattern,
  MAX_PATTERN_INSTRUCTIONS,
  MAX_PATTERN_STEPS,
  type PatternBudget,
} from '../../src/fields/base/regex.ts';
import type { FieldDefinition } from '../../src/fields/definition.ts';
import { type Code, type Params, say } from '../../src/languages/catalogue.ts';

// The checks of values as they were before the fields had zod schemas, for one comparison.

type Report = (code: Code, params?: Params, at?: string) => void;
type ValueCheck = (value: unknown, report: Report, budget: PatternBudget) => void;

const FIELD_KEY_PATTERN = /^[a-zA-Z][a-zA-Z0-9_]{0,50}$/;
const MAX_EXTRA_KEYS = 200;
const TOO_MANY_EXTRA_KEYS: Issue = { path: 'data', ...say('tooManyKeys', { max: MAX_EXTRA_KEYS }) };
const REQUIRED = say('required');
const LIST_EDIT = 'is a list to which submissions append; removeItems removes its items';

export function formerValidator({ rejectUnknown, fields }: { rejectUnknown: boolean; fields: FieldDefinition[] }) {
  const compiled = new Map(
    fields.map((field) => [field.key, { check: compile(field), isList: field.kind === 'array' }]),
  );
  const required = fields.filter((field) => field.required).map((field) => field.key);
  const checkOfUnknown = rejectUnknown ? refuseUnknown : checkUnknown;

  const hasTooManyExtraKeys = (keys: readonly string[]): boolean =>
    !rejectUnknown && keys.length > MAX_EXTRA_KEYS && keys.filter((key) => !compiled.has(key)).length > MAX_EXTRA_KEYS;

  function addIssues(issues: Issue[], values: Record<string, unknown>, keys: readonly string[], isEdit: boolean): void {
    const budget = { steps: MAX_PATTERN_STEPS };
    for (const key of keys) {
      if (issues.length >= MAX_ISSUES) return;
      const field = compiled.get(key);
      if (isEdit && field?.isList) issues.push({ path: `data.${key}`, message: LIST_EDIT });
      else (field?.check ?? checkOfUnknown(key))(values[key], reporter(issues, key), budget);
    }
  }

  return {
    issues(data: Record<string, unknown>, isPartial = false): Issue[] {
      const keys = Object.keys(data);
      if (hasTooManyExtraKeys(keys)) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      for (const key of isPartial ? [] : required) {
        if (!Object.hasOwn(data, key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      }
      addIssues(issues, data, keys, false);
      return issues.slice(0, MAX_ISSUES);
    },

    editIssues(set: Record<string, unknown>, unset: readonly string[]): Issue[] {
      const keys = Object.keys(set);
      if (hasTooManyExtraKeys(keys)) return [TOO_MANY_EXTRA_KEYS];
      const issues: Issue[] = [];
      addIssues(issues, set, keys, true);
      for (const key of unset) if (required.includes(key)) issues.push({ path: `data.${key}`, ...REQUIRED });
      return issues.slice(0, MAX_ISSUES);
    },
  };
}

function reporter(issues: Issue[], key: string): Report {
  return (code, params, at) =>
    void issues.push({ path: `data.${printable(key)}${at ? `.${at}` : ''}`, ...say(code, params) });
}

const refuseUnknown = (): ValueCheck => (_value, report) => report('unknownField');

const checkUnknown =
  (key: string): ValueCheck =>
  (value, report) => {
    if (!FIELD_KEY_PATTERN.test(key)) return report('invalidKey');
    reportUnstorableKeys(value, report);
  };

const RESERVED = new Set(['__proto__', '_bsontype']);

function reportUnstorableKeys(value: unknown, report: Report, at = ''): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && isUnstorable(key)) {
      report('reservedName', undefined, at);
      continue;
    }
    if (typeof inner === 'object' && inner !== null) {
      reportUnstorableKeys(inner, report, at === '' ? printable(key) : `${at}.${printable(key)}`);
    }
  }
}

function isUnstorable(key: string): boolean {
  return key.startsWith('$') || key.includes('.') || key.includes('\0') || RESERVED.has(key);
}

function compile(field: FieldDefinition): ValueCheck {
  switch (field.kind) {
    case 'text':
      return compileText(field);
    case 'checkbox':
      return (value, report) => {
        if (typeof value !== 'boolean') return report('notBoolean');
        if (field.required && !value) report('mustBeTrue');
      };
    case 'select': {
      const allowed: ReadonlySet<unknown> = new Set(field.enum);
      return (value, report) => {
        if (typeof value !== 'string') return report('notText');
        if (!allowed.has(value)) report('notChoice');
      };
    }
    case 'multiselect': {
      const { required, minItems = 0, maxItems = Number.POSITIVE_INFINITY, ...definition } = field;
      const allowed: ReadonlySet<unknown> = new Set(definition.enum);
      const least = required ? Math.max(1, minItems) : minItems;
      return (value, report) => {
        if (!Array.isArray(value)) return report('notChoices');
        if (!value.every((choice) => allowed.has(choice))) return report('otherChoice');
        if (new Set(value).size < value.length) return report('choiceTwice');
        if (value.length < least) return report('tooFewChoices', { min: least });
        if (value.length > maxItems) report('tooManyChoices', { max: maxItems });
      };
    }
    case 'number': {
      const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
      return (value, report) => {
        if (typeof value !== 'number' || !Number.isFinite(value)) return report('notNumber');
        if (value < min) return report('tooSmall', { min });
        if (value > max) report('tooLarge', { max });
      };
    }
    case 'date':
      return (value, report) => {
        if (typeof value !== 'string' || !isIsoDate(value)) report('notDate');
      };
    case 'array':
      return (value, report) => {
        if (!Array.isArray(value)) return report('notList');
        reportUnstorableKeys(value, report);
      };
  }
}

function compileText({
  required,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
  regex,
}: Extract<FieldDefinition, { kind: 'text' }>): ValueCheck {
  const least = required ? Math.max(1, minLength) : minLength;
  const pattern = regex === undefined ? undefined : storedPattern(regex);
  return (value, report, budget) => {
    if (typeof value !== 'string') return report('notText');
    const length = value.length > maxLength || value.length < least * 2 ? codePoints(value) : value.length;
    if (length < least) return least === 1 ? report('empty') : report('tooShort', { min: least });
    if (length > maxLength) return report('tooLong', { max: maxLength });
    const problem = pattern?.check(value, budget);
    if (problem) report(problem);
  };
}

function storedPattern(regex: string) {
  const pattern = compilePattern(regex, { instructions: MAX_PATTERN_INSTRUCTIONS });
  if ('problem' in pattern) throw new Error(`stored pattern does not compile: ${pattern.problem}`);
  return pattern;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function isIsoDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const days = month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59 && zoneHour <= 23 && zoneMinute <= 59;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
