import { describe, expect, it } from 'vitest';
import { definitionProblems, valueProblems } from './cases.ts';

/** Each kind's definitions and values: taken, or refused with the named problem (SPEC 2.3 and DESIGN section 2). */
interface Kind {
  kind: string;
  definitions: { taken: object[]; refused: [constraints: object, problem: string][] };
  taken: [constraints: object, value: unknown][];
  refused: [constraints: object, value: unknown, problem: string][];
}

const bool = 'must be true or false';
const choice = { enum: ['free', 'pro', ''] };
const dateProblem = 'must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z';

const kinds: Kind[] = [
  {
    kind: 'checkbox',
    definitions: { taken: [{}, { required: true }], refused: [[{ min: 1 }, 'Unrecognized key']] },
    taken: [
      [{}, true],
      [{}, false],
      [{ required: true }, true],
    ],
    refused: [
      [{ required: true }, false, 'must be true'],
      [{}, 'true', bool],
      [{}, 1, bool],
      [{}, null, bool],
    ],
  },
  {
    kind: 'select',
    definitions: {
      taken: [{ enum: ['a'] }],
      refused: [
        [{}, 'Invalid input'],
        [{ enum: [] }, 'must list at least one value'],
        [{ enum: [1] }, 'Invalid input'],
        [{ enum: 'a' }, 'Invalid input'],
        [{ enum: ['a'], maxLength: 1 }, 'Unrecognized key'],
      ],
    },
    taken: [
      [choice, 'free'],
      [choice, ''],
      [{ ...choice, required: true }, 'pro'],
    ],
    refused: [
      [choice, 'Free', 'must be one of the allowed values'],
      [choice, 'constructor', 'must be one of the allowed values'],
      [choice, 1, 'must be a text'],
      [choice, null, 'must be a text'],
      [choice, ['free'], 'must be a text'],
    ],
  },
  {
    kind: 'number',
    definitions: {
      taken: [{}, { min: -1.5, max: -1.5 }, { min: 0 }, { max: 1e300 }],
      refused: [
        [{ min: 2, max: 1 }, 'must not be greater than max'],
        [{ min: '1' }, 'Invalid input'],
        [{ max: JSON.parse('1e400') }, 'Invalid input'],
        [{ regex: '1' }, 'Unrecognized key'],
      ],
    },
    taken: [
      [{}, 0],
      [{}, -0.5],
      [{}, Number.MAX_VALUE],
      [{ min: 1, max: 2 }, 1],
      [{ min: 1, max: 2 }, 2],
    ],
    refused: [
      [{}, JSON.parse('1e400'), 'must be a number'],
      [{}, Number.NaN, 'must be a number'],
      [{}, '1', 'must be a number'],
      [{}, true, 'must be a number'],
      [{}, null, 'must be a number'],
      [{ min: 1 }, 0.999, 'must be at least 1'],
      [{ max: -2 }, -1.999, 'must be at most -2'],
    ],
  },
  {
    kind: 'date',
    definitions: { taken: [{}], refused: [[{ minLength: 1 }, 'Unrecognized key']] },
    taken: [
      '2026-01-31',
      '2024-02-29',
      '2000-02-29',
      '0001-01-01',
      '2026-12-31T23:59:59Z',
      '2026-01-31T00:00:00.123456789Z',
      '2026-01-31t08:30:00z',
      '2026-01-31T08:30:00+05:30',
      '2026-01-31T08:30:00-23:59',
    ].map((value) => [{}, value]),
    refused: [
      ...[
        '',
        '2026-1-31',
        '2026-00-10',
        '2026-13-01',
        '2026-01-00',
        '2026-01-32',
        '2026-04-31',
        '2025-02-29',
        '1900-02-29',
        '20260131',
        '2026-01-31 08:30:00Z',
        '2026-01-31T08:30:00',
        '2026-01-31T08:30Z',
        '2026-01-31T24:00:00Z',
        '2026-01-31T23:60:00Z',
        '2026-01-31T23:59:60Z',
        '2026-01-31T08:30:00+24:00',
        '2026-01-31T08:30:00+05:60',
        '2026-01-31T08:30:00+0530',
        '2026-01-31T08:30:00.Z',
        '2026-01-31\n',
        '٢٠٢٦-٠١-٣١',
        '+02026-01-31',
      ].map((value): [object, unknown, string] => [{}, value, dateProblem]),
      [{}, 1_769_817_600_000, dateProblem],
      [{}, null, dateProblem],
    ],
  },
  {
    kind: 'array',
    definitions: {
      taken: [{}, { required: true }],
      refused: [[{ items: { kind: 'text' } }, 'Unrecognized key']],
    },
    taken: [
      [{}, []],
      [{ required: true }, []],
      [{}, ['a', 1, true, null, [], {}, { deep: [{ er: 1 }] }]],
      [{}, [{ 'a b': 1, 'x-y': 2, constructor: 3, toString: 4, a$: 5 }]],
    ],
    refused: [
      [{}, 'a', 'must be an array'],
      [{}, { 0: 'a' }, 'must be an array'],
      [{}, null, 'must be an array'],
    ],
  },
];

describe.each(kinds)('$kind', ({ kind, definitions, taken, refused }) => {
  it.each(definitions.taken.map((constraints) => [constraints]))('takes the definition %j', (constraints) => {
    expect(definitionProblems({ key: 'f', kind, ...constraints })).toEqual([]);
  });

  it.each(definitions.refused)('refuses the definition %j', (constraints, problem) => {
    const problems = definitionProblems({ key: 'f', kind, ...constraints });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it.each(taken)('with %j takes %j', (constraints, value) => {
    expect(valueProblems({ kind, ...constraints }, value)).toEqual([]);
  });

  it.each(refused)('with %j refuses %j', (constraints, value, problem) => {
    expect(valueProblems({ kind, ...constraints }, value)).toEqual([`data.f ${problem}`]);
  });
});
