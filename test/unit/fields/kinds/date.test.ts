import { describe, expect, it } from 'vitest';
import { date } from '../../../../src/core/fields/kinds/date.ts';
import { valueFromForm } from '../../../../src/features/display/presentation.ts';
import type { Moment } from '../../../../src/platform/text/iso-date.ts';
import { describeKind, validatorOf, valueProblems } from '../cases.ts';

const notDate = 'must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z';

/** The bounds of each control: with four digits of a year. */
const EACH = { min: '1000-01-01', max: '9999-12-31' };

describeKind('date', {
  definitions: {
    accepted: [
      {},
      { help: 'Why', autocomplete: 'bday', hidden: true, prefill: true, default: '2026-01-31' },
      { default: '2026-01-31T08:30:00Z' },
      { earliest: '0001-01-01', latest: 'today' },
      { earliest: '2026-01-31', latest: '2026-01-31', default: '2026-01-31T23:30:00-05:00' },
      // What is valid does not depend on the day on which the schema is stored.
      { earliest: 'today', default: '1985-11-28' },
      { earliest: 'today', latest: '1985-11-28' },
    ],
    refused: [
      [{ minLength: 1 }, 'Unrecognized key'],
      [{ placeholder: 'x' }, 'Unrecognized key'],
      [{ ui: 'textarea' }, 'Unrecognized key'],
      [{ source: 'page' }, 'Unrecognized key'],
      [{ default: 1 }, '0.default Invalid input'],
      [{ default: '2026-02-30' }, `fields.0.default ${notDate}`],
      [{ default: '2026-01-31T08:30' }, `fields.0.default ${notDate}`],
      ...['2026-02-30', '2026-1-31', '0000-12-31', '2026-01-31T00:00:00Z', 'Today', ''].map(
        (earliest): [Record<string, unknown>, string] => [
          { earliest },
          '0.earliest must be a date like 2026-01-31, from the year 1 on, or today',
        ],
      ),
      [{ latest: 2026 }, '0.latest Invalid input'],
      [{ min: '2026-01-31' }, 'Unrecognized key'],
      [{ earliest: '2026-02-01', latest: '2026-01-31' }, 'fields.0.earliest must not be after latest'],
      [{ latest: '2026-01-31', default: '2026-02-01' }, 'fields.0.default must be 2026-01-31 or earlier'],
    ],
  },
  values: {
    accepted: [
      '2026-01-31',
      '2024-02-29',
      '2000-02-29',
      '0001-01-01',
      '2026-12-31T23:59:59Z',
      '2026-01-31T00:00:00.123456789Z',
      '2026-01-31T00:00:00.1234567890Z',
      '2026-01-31T00:00:00.000000000000000000000001+05:30',
      '2026-01-31t08:30:00z',
      '2026-01-31T08:30:00+05:30',
      '2026-01-31T08:30:00-23:59',
    ].map((value) => [{}, value]),
    refused: [
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
      '2026-01-31T08:30:00.1234567890',
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
      1_769_817_600_000,
      null,
    ].map((value) => [{}, value, notDate]),
  },
  controls: [
    [{}, { type: 'date', attributes: EACH }],
    [{ default: '2026-01-31' }, { type: 'date', default: '2026-01-31', attributes: EACH }],
    // A date control would show nothing.
    [{ default: '2026-01-31T08:30:00Z' }, { type: 'text', default: '2026-01-31T08:30:00Z', attributes: EACH }],
    [
      { earliest: '0800-12-25', latest: '2026-01-31' },
      { type: 'date', attributes: { min: '0800-12-25', max: '2026-01-31' } },
    ],
    [
      { earliest: 'today', latest: 'today' },
      { type: 'date', attributes: EACH },
    ],
  ],
  texts: {
    converted: [
      ['2026-01-31', '2026-01-31'],
      [' 2026-01-31\n', '2026-01-31'],
      ['2026-01-31T08:30:00+05:30', '2026-01-31T08:30:00+05:30'],
      ['2026-01-31t08:30:00.123456z', '2026-01-31t08:30:00.123456z'],
      ['  ', undefined],
    ],
    refused: [
      ...['2026-01-31T08:30', '2026-01-31T08:30:15', '2026-01-31T08:30:15.123'].map((text): [string, string] => [
        text,
        'has no time zone: send its IANA name as _tz',
      ]),
      ...[
        '2026-02-30',
        '2026-02-30T08:30',
        '2026-01-31T24:00',
        '2026-01-31T08:60',
        '2026-01-31 08:30',
        '31.01.2026',
        '2026-01-31T08:30:15.1234',
        '2026-01-31T8:30',
        '12026-01-31T08:30',
        '２０２６-01-31',
        '2026-01-31T08:30[UTC]',
      ].map((text): [string, string] => [text, notDate]),
    ],
  },
  samples: [
    [{}, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
    [{ earliest: 'today', latest: 'today' }, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
    [{ latest: '1985-11-28' }, '1985-11-28'],
    [{ earliest: '9999-11-28' }, '9999-11-28'],
  ],
  change: 'replace',
});

describe('a date-time with 100,000 fractional digits', () => {
  const digits = '1'.repeat(100_000);

  it.each([
    ['and a zone is accepted', 'Z', []],
    ['and no zone is refused', '', [`data.f ${notDate}`]],
    ['and an incomplete zone is refused', '+05', [`data.f ${notDate}`]],
    ['and a second fraction is refused', '.1Z', [`data.f ${notDate}`]],
  ])('%s', (_name, end, problems) => {
    expect(valueProblems({ kind: 'date' }, `2026-01-31T08:30:00.${digits}${end}`)).toEqual(problems);
  });
});

describe('a local time of a form, with a time zone', () => {
  const convert = (text: string, toInstant: (localText: string) => string) =>
    valueFromForm({ kind: 'date' }, [text], { toInstant });

  it.each([
    ['2026-01-31T08:30', '2026-01-31T08:30:00+01:00'],
    ['2026-01-31T08:30:15', '2026-01-31T08:30:15+01:00'],
    [' 2026-01-31T08:30:15.5 ', '2026-01-31T08:30:15.5+01:00'],
  ])('%j becomes a date-time with an offset, %j', (text, value) => {
    expect(convert(text, (local) => `${local}+01:00`)).toEqual({ value });
  });

  it.each(['2026-01-31', '2026-01-31T08:30:00Z'])('does not concern %j', (text) => {
    expect(convert(text, () => 'not called')).toEqual({ value: text });
  });

  it('is refused when no date-time with four digits for the year expresses it', () => {
    expect(convert('9999-12-31T23:59', () => '+010000-01-01T04:59:00Z')).toMatchObject({
      problem: { message: notDate },
    });
  });
});

describe('the bounds of a date', () => {
  const problemsOf = (bounds: object, value: string, moment?: Moment) =>
    validatorOf([{ key: 'f', kind: 'date', ...bounds }])
      .issues({ f: value }, 'everyone', false, undefined, moment)
      .map(({ message, code, params }) => [message, code, params]);

  it.each([
    ['2026-01-31', '2026-02-28', '2026-01-31', []],
    ['2026-01-31', '2026-02-28', '2026-02-28', []],
    ['2026-01-31', undefined, '2026-01-30', [['must be 2026-01-31 or later', 'tooEarly', { min: '2026-01-31' }]]],
    [undefined, '2026-01-31', '2026-02-01', [['must be 2026-01-31 or earlier', 'tooLate', { max: '2026-01-31' }]]],
    [undefined, '2026-01-31', '0085-11-28', []],
    // The day of a date-time is the one that it states.
    [undefined, '2026-01-31', '2026-01-31T23:59:59.999999-12:00', []],
    [
      '2026-01-31',
      undefined,
      '2026-01-30t23:59:59-12:00',
      [['must be 2026-01-31 or later', 'tooEarly', { min: '2026-01-31' }]],
    ],
    ['2026-01-31', undefined, 'no date', [[notDate, 'notDate', undefined]]],
  ])('with %j and %j: %j', (earliest, latest, value, problems) => {
    expect(problemsOf({ earliest, latest }, value)).toEqual(problems);
  });

  it.each([
    ['UTC', '2026-01-31'],
    [undefined, '2026-01-31'],
    ['Pacific/Kiritimati', '2026-02-01'],
    ['America/New_York', '2026-01-30'],
    ['No/Zone', '2026-01-31'],
  ])('have the day in %s as today', (timeZone, day) => {
    const moment = {
      at: new Date(timeZone === 'Pacific/Kiritimati' ? '2026-01-31T10:00:00Z' : '2026-01-31T04:59:59Z'),
      timeZone,
    };
    const today = { earliest: 'today', latest: 'today' };
    expect(problemsOf(today, day, moment)).toEqual([]);
    expect(problemsOf(today, '2026-01-01', moment)).toEqual([[`must be ${day} or later`, 'tooEarly', { min: day }]]);
    expect(problemsOf(today, '2026-03-01', moment)).toEqual([[`must be ${day} or earlier`, 'tooLate', { max: day }]]);
  });

  it('are in the comment of the JSON Schema', () => {
    const describe = (bounds: object) => date.describe({ key: 'f', label: 'f', required: false, ...bounds }).$comment;
    expect(describe({})).toBeUndefined();
    expect(describe({ earliest: '1900-01-01', latest: 'today' })).toBe('Not before 1900-01-01. Not after today');
  });
});

describe('a date that was typed in a form', () => {
  const typed = (text: string, bounds = {}) =>
    valueFromForm({ kind: 'date', ...bounds }, [text], { isTyped: true, toInstant: (local) => `${local}Z` });
  const tooEarly = {
    problem: { message: 'must be 1000-01-01 or later', code: 'tooEarly', params: { min: '1000-01-01' } },
  };

  it.each(['0085-11-28', '0999-12-31', '0985-11-28T08:30', '0085-11-28T08:30:00Z'])('is not %s', (text) => {
    expect(typed(text)).toEqual(tooEarly);
    expect(typed(text, { latest: '2026-01-31' })).toEqual(tooEarly);
    expect(typed(text, { earliest: '0001-01-01' })).toHaveProperty('value');
    expect(valueFromForm({ kind: 'date' }, [text], { toInstant: (local) => `${local}Z` })).toHaveProperty('value');
  });

  it('is each one from the year 1000 on', () => {
    expect(typed('1000-01-01')).toEqual({ value: '1000-01-01' });
  });
});
