import { describe, expect, it } from 'vitest';
import { BROWSER_KINDS, CONDITION_OPERATORS, type KindName } from '../../../src/core/fields/base/browser-kinds.ts';
import { type Condition, fieldStates } from '../../../src/core/fields/conditions.ts';
import { completeDefinition, type FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { FIELD_KINDS, getKind } from '../../../src/core/fields/kinds/registry.ts';
import { valueFromForm } from '../../../src/features/display/presentation.ts';
import { createValueReader } from '../../../src/features/imports/line-values.ts';
import type { Predicate } from '../../../src/features/search/condition-filters.ts';
import { isCondition, parseWhere } from '../../../src/features/search/conditions.ts';
import { isWithin } from '../../../src/platform/text/comparison.ts';
import { definitionProblems } from './cases.ts';

interface Samples {
  options?: object;
  /** Stored values, as a submission has them. */
  values: unknown[];
  /** What conditions compare, as JSON. */
  compared: Exclude<Condition['value'], readonly unknown[] | undefined>[];
}

const FILE_TOKEN = 'a'.repeat(43);

const SAMPLES: Readonly<Record<KindName, Samples>> = {
  text: { values: ['Ada', 'ADA LOVELACE', 'Straße', 'x'], compared: ['Ada', 'ada', 'x', 'STRASSE'] },
  checkbox: { values: [true, false], compared: [true, false] },
  select: { options: { enum: ['free', 'Pro'] }, values: ['free', 'Pro'], compared: ['free', 'Pro'] },
  multiselect: {
    options: { enum: ['chess', 'piano', 'Go'] },
    values: [['chess'], ['chess', 'Go'], ['piano']],
    compared: ['chess', 'piano', 'Go'],
  },
  number: { values: [-1.5, 0, 7], compared: [-1.5, 0, 3, 7] },
  date: {
    values: ['2026-01-31', '2026-01-31T23:59:59.999Z', '2026-02-01T00:30:00+02:00', '2026-02-01'],
    compared: ['2026-01-31', '2026-01-31T23:59:59.999Z', '2026-02-01'],
  },
  file: { options: { types: ['pdf'], maxFiles: 2 }, values: [[FILE_TOKEN]], compared: ['a'] },
  array: { values: [['a'], ['a', 'b\nc']], compared: ['a'] },
};

const QUERY_OPERATORS = [...CONDITION_OPERATORS, 'prefix', 'empty'] as const;

/** Whether a query selects a record with this value. */
function selects({ target, test, isNot }: Predicate, value: unknown): boolean {
  const isMet = (): boolean => {
    switch (test.is) {
      case 'absent':
        return value === undefined;
      case 'within': {
        const place = target.values.sortValue?.(value);
        return place !== undefined && test.intervals.some((interval) => isWithin(Number(place), interval));
      }
      case 'equal':
        return test.texts.some((text) => text === value);
      case 'contains':
        return typeof value === 'string' && new RegExp(test.text, 'iu').test(value);
      case 'chosen':
        return Array.isArray(value) && test.choices.some((choice) => value.includes(choice));
      default:
        throw new Error(`conditions of forms have no ${test.is}`);
    }
  };
  return isMet() !== isNot;
}

describe.each(FIELD_KINDS.map(({ name }) => name))('the kind %s', (name) => {
  const kind = getKind(name);
  const { operators } = BROWSER_KINDS[name];
  const { options, values, compared } = SAMPLES[name];
  const field = { key: 'f', kind: name, ...options } as FieldDefinitionInput;
  const definition = completeDefinition(field);
  const schema = { fields: [definition], rejectUnknown: true };

  /** What conditions with an operator compare in this test. */
  const given = (op: string): Condition['value'][] => {
    if (op === 'exists' || op === 'empty') return [true, false];
    return op === 'in' ? [compared, compared.slice(0, 1)] : compared;
  };
  const where = (op: string, value: Condition['value']): string => `data.f:${op}:${[value].flat().join(',')}`;

  it('has in queries each operator that it has in conditions, and only those that it declares', () => {
    expect(kind.queried.operators).toEqual(expect.arrayContaining([...operators]));
    for (const op of QUERY_OPERATORS) {
      const isDeclared = kind.queried.operators.includes(op);
      for (const value of given(op)) expect([op, isCondition(where(op, value), schema)]).toEqual([op, isDeclared]);
    }
  });

  it('has in the conditions of a form the operators that it declares', () => {
    for (const op of CONDITION_OPERATORS) {
      for (const value of given(op)) {
        const condition = { field: 'f', op, value } as Condition;
        const problems = definitionProblems(field, { key: 'g', kind: 'text', showIf: { all: [condition] } });
        if (operators.includes(op)) expect([condition, problems]).toEqual([condition, []]);
        else expect(problems[0]).toContain('showIf.all.0.op');
      }
    }
  });

  it('compares values in conditions as in queries', () => {
    for (const op of operators) {
      for (const compare of given(op)) {
        const [predicate] = parseWhere([where(op, compare)], schema);
        const condition = { field: 'f', op, value: compare } as Condition;
        const fields = [definition, { key: 'g', showIf: { all: [condition] } }];
        for (const value of [...values, undefined]) {
          const isShown = fieldStates(fields, value === undefined ? {} : { f: value }).shown.has('g');
          expect([condition, value, isShown]).toEqual([condition, value, selects(predicate as Predicate, value)]);
        }
      }
    }
  });

  it('reads the text of a value as the value: of a form, in a condition, and in a cell', () => {
    const reader = createValueReader(
      { rejectUnknown: true, fields: [definition] },
      { format: 'zip', mode: 'upsert', decimal: '.' } as unknown as Parameters<typeof createValueReader>[1],
      { columns: ['email', 'data.f'], delimiter: '\t' },
      undefined,
    );
    for (const value of values) {
      const texts = [value].flat().map(String);
      expect(valueFromForm(definition, texts)).toEqual({ value });
      expect(BROWSER_KINDS[name].readTexts(texts)).toEqual(value);
      const cell = kind.cell === 'items' ? JSON.stringify(value) : texts.join('; ');
      expect(reader(`ada@example.com\t"${cell.replaceAll('"', '""')}"`)).toMatchObject({
        data: { f: value },
        problems: [],
      });
    }
  });

  it('has words for its values, and none for those of another type', () => {
    const words = { boolean: String, dateTime: String, name: (one: unknown) => String(one), items: String };
    for (const value of values) expect(kind.inWords(value, words)).toBeTypeOf('string');
    expect(kind.inWords(Symbol.iterator, { ...words, name: () => undefined })).toBeUndefined();
  });

  it('sorts and charts the values that it indexes, by the same values', () => {
    const { sortValue, indexBound, chart } = kind.queried;
    if (kind.indexValue) expect(chart).not.toBe('none');
    for (const value of kind.indexValue ? values : []) {
      const indexed = kind.indexValue?.(value);
      expect(indexed).not.toBeNull();
      const place = sortValue?.(value);
      if (indexBound) expect(indexBound(place as number)).toEqual(indexed);
      else expect(place).toBe(indexed);
    }
  });
});
