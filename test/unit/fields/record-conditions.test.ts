import { describe, expect, it } from 'vitest';
import type { Conditions } from '../../../src/core/fields/conditions.ts';
import {
  completeDefinition,
  createConditionCheck,
  type FieldDefinitionInput,
} from '../../../src/core/fields/definition.ts';
import { recordConditionWords } from '../../../src/features/display/presentation.ts';
import {
  conditionsText,
  createEvaluation,
  RecordConditions,
  underPresentKeys,
} from '../../../src/features/record-conditions/stored-conditions.ts';

const FIELDS = (
  [
    { key: 'plan', label: 'Plan', kind: 'select', enum: ['free', 'pro'], enumLabels: { pro: 'Pro' } },
    { key: 'seats', kind: 'number', showIf: { all: [{ field: 'plan', op: 'eq', value: 'pro' }] } },
    { key: 'status', kind: 'select', enum: ['new', 'urgent'], writers: 'staff' },
    { key: 'visits', kind: 'array' },
    { key: 'email', label: 'Other email', kind: 'number' },
  ] satisfies FieldDefinitionInput[]
).map(completeDefinition);

const ADA = { email: 'ada@example.com', data: { plan: 'free', seats: 3, status: 'urgent', email: 7 } };

const holds = (conditions: Conditions, record: Parameters<ReturnType<typeof createEvaluation>>[0] = ADA) =>
  createEvaluation([conditions], FIELDS)(record)[0];
const issues = (conditions: Conditions) =>
  createConditionCheck(FIELDS)(conditions).map(({ path, code }) => [path, code]);

describe('conditions on a record (spec 2.13)', () => {
  it.each<[string, Conditions, boolean]>([
    ['a field', { all: [{ field: 'plan', op: 'eq', value: 'free' }] }, true],
    ['a field of the staff', { all: [{ field: 'status', op: 'in', value: ['urgent'] }] }, true],
    [
      'the email, also if a field has that key',
      { all: [{ field: 'email', op: 'contains', value: '@EXAMPLE.com' }] },
      true,
    ],
    ['another email', { all: [{ field: 'email', op: 'eq', value: 'eve@example.com' }] }, false],
    [
      'the stored value of a field that a form would not show',
      { all: [{ field: 'seats', op: 'gte', value: 3 }] },
      true,
    ],
    ['a field without a value', { all: [{ field: 'visits', op: 'exists', value: false }] }, true],
    ['a field that was removed', { all: [{ field: 'gone', op: 'eq', value: 'x' }] }, false],
    ['that one by ne', { all: [{ field: 'gone', op: 'ne', value: 'x' }] }, false],
    ['that one by its absence', { all: [{ field: 'gone', op: 'exists', value: false }] }, false],
    [
      'that one beside another, all of them',
      {
        all: [
          { field: 'plan', op: 'exists' },
          { field: 'gone', op: 'ne', value: 'x' },
        ],
      },
      false,
    ],
    [
      'that one beside another, one of them',
      {
        any: [
          { field: 'gone', op: 'exists' },
          { field: 'plan', op: 'exists' },
        ],
      },
      true,
    ],
    ['only that one, one of them', { any: [{ field: 'gone', op: 'exists', value: false }] }, false],
  ])('compare %s', (_, conditions, expected) => expect(holds(conditions)).toBe(expected));

  it('are evaluated together, each on its own', () => {
    const evaluate = createEvaluation(
      [{ all: [{ field: 'plan', op: 'eq', value: 'pro' }] }, { all: [{ field: 'plan', op: 'ne', value: 'pro' }] }],
      FIELDS,
    );
    expect(evaluate(ADA)).toEqual([false, true]);
    expect(evaluate({ email: 'eve@example.com' })).toEqual([false, true]);
    expect(evaluate({ email: 'eve@example.com', data: { plan: 'pro' } })).toEqual([true, false]);
  });

  it('are refused at the path of what is unknown', () => {
    expect(issues({ all: [{ field: 'status', op: 'eq', value: 'urgent' }] })).toEqual([]);
    expect(issues({ all: [{ field: 'gone', op: 'exists' }] })).toEqual([['all.0.field', 'unknownField']]);
    expect(
      issues({
        any: [
          { field: 'plan', op: 'exists' },
          { field: 'plan', op: 'eq', value: 'gold' },
        ],
      }),
    ).toEqual([['any.1.value', 'notChoice']]);
    expect(issues({ all: [{ field: 'visits', op: 'eq', value: 'x' }] })).toEqual([
      ['all.0.op', 'notConditionOperator'],
    ]);
    expect(issues({ all: [{ field: 'email', op: 'eq', value: 'nobody' }] })).toEqual([['all.0.value', 'notEmail']]);
    expect(issues({ all: [{ field: 'email', op: 'in', value: ['a@x.org', 'b'] }] })).toEqual([
      ['all.0.value', 'notEmail'],
    ]);
    expect(issues({ all: [{ field: 'email', op: 'contains', value: '@example' }] })).toEqual([]);
  });

  it('have emails as they are stored', () => {
    const sent = { any: [{ field: 'email', op: 'in', value: [' Ada@Example.com', 'x'] }] };
    expect(RecordConditions.parse(sent)).toEqual({
      any: [{ field: 'email', op: 'in', value: ['ada@example.com', 'x'] }],
    });
    const part = { all: [{ field: 'email', op: 'contains', value: '@Example' }] };
    expect(RecordConditions.parse(part)).toEqual(part);
    const ofField = { all: [{ field: 'plan', op: 'eq', value: 'A@X.org' }] };
    expect(RecordConditions.parse(ofField)).toEqual(ofField);
  });

  it('follow the renames after their version, one after another', () => {
    const renames = [
      { version: 2, pairs: [{ from: 'plan', to: 'old' }] },
      { version: 4, pairs: [{ from: 'plan', to: 'tariff' }] },
      { version: 5, pairs: [{ from: 'tariff', to: 'rate' }] },
    ];
    const conditions: Conditions = {
      all: [
        { field: 'plan', op: 'exists' },
        { field: 'email', op: 'exists' },
      ],
    };
    const keys = (version: number) =>
      underPresentKeys({ ...conditions, version }, renames).all?.map(({ field }) => field);
    expect([1, 2, 3, 4, 5].map((version) => keys(version)?.[0])).toEqual(['old', 'rate', 'rate', 'plan', 'plan']);
    const ofEmail = [{ version: 2, pairs: [{ from: 'email', to: 'plan' }] }];
    expect(underPresentKeys({ ...conditions, version: 1 }, ofEmail).all?.[1]?.field).toBe('email');
    expect(conditionsText({ ...conditions, version: 3 } as Conditions)).toBe(JSON.stringify(conditions));
  });

  it('are said in words, with the labels of fields and the key of one that was removed', () => {
    expect(
      recordConditionWords(
        {
          all: [
            { field: 'plan', op: 'eq', value: 'pro' },
            { field: 'email', op: 'contains', value: '@example.com' },
            { field: 'gone', op: 'exists' },
          ],
        },
        FIELDS,
      ),
    ).toBe('Plan is Pro and Email contains @example.com and gone is filled in');
  });
});
