import { describe, expect, it } from 'vitest';
import { valueFromForm } from '../../../../src/fields/presentation.ts';
import { describeKind, valueProblems } from '../cases.ts';

const notDate = 'must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z';

describeKind('date', {
  definitions: {
    accepted: [
      {},
      { help: 'Why', autocomplete: 'bday', hidden: true, prefill: true, default: '2026-01-31' },
      { default: '2026-01-31T08:30:00Z' },
    ],
    refused: [
      [{ minLength: 1 }, 'Unrecognized key'],
      [{ placeholder: 'x' }, 'Unrecognized key'],
      [{ ui: 'textarea' }, 'Unrecognized key'],
      [{ source: 'page' }, 'Unrecognized key'],
      [{ default: 1 }, '0.default Invalid input'],
      [{ default: '2026-02-30' }, `fields.0.default ${notDate}`],
      [{ default: '2026-01-31T08:30' }, `fields.0.default ${notDate}`],
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
    [{}, { type: 'date' }],
    [{ default: '2026-01-31' }, { type: 'date', default: '2026-01-31' }],
    // A date control would show nothing.
    [{ default: '2026-01-31T08:30:00Z' }, { type: 'text', default: '2026-01-31T08:30:00Z' }],
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
  samples: [[{}, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]],
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
