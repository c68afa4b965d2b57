import { describe, expect, it } from 'vitest';
import { couldOmit, reasonsOf } from '../../../web/src/import/advice.ts';
import { columnSettings } from '../../../web/src/import/column-draft.ts';
import { checkboxWords, dateFormatOf, proposeSettings } from '../../../web/src/import/proposals.ts';
import { choicesFor, proposeField } from '../../../web/src/import/propose-field.ts';
import { readValues } from '../../../web/src/import/read-values.ts';
import { withEmail } from '../../../web/src/import/suggest.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';
import { excelDelimiter } from '../../../web/src/users/export/delimiter.ts';

await loadTexts();

describe('the field that is proposed for a column', () => {
  it.each([
    ['whole numbers', 'Age', ['36', '41', '-3'], 'number'],
    ['numbers with a decimal comma and groups', 'Sum', ['1.234,50', '12,5'], 'number'],
    ['numbers, one of which is missing', 'Score', ['7', 'n/a', '9'], 'number'],
    ['zeros and ones', 'Count', ['0', '1', '1'], 'number'],
    ['postal codes', 'Code', ['01067', '10115'], 'text'],
    ['postal codes by their name', 'PLZ', ['80331', '10115'], 'text'],
    ['phone numbers', 'Phone', ['49301234', '49302345'], 'text'],
    ['long numbers', 'Card', ['1234567890123456'], 'text'],
    ['days', 'Born', ['31.12.24', '1.2.23'], 'date'],
    ['days that could be months', 'Born', ['01/02/2026', '03/04/2026'], 'date'],
    ['times', 'At', ['12/31/24 3:04 PM', '1/2/24 11:59 AM'], 'date'],
    ['ISO 8601', 'At', ['2026-01-31T08:00:00Z'], 'date'],
    ['German words of checkboxes', 'News', ['Ja', 'Nein', 'Ja'], 'checkbox'],
    ['crosses', 'News', ['x', '', 'x'], 'checkbox'],
    ['few different texts', 'Plan', ['Basic', 'Pro', 'Basic', 'Pro'], 'select'],
    ['several choices', 'Topics', ['News;Events', 'News', 'Events;News'], 'multiselect'],
    ['sentences', 'Comment', ['I like it, a lot', 'It works, mostly'], 'text'],
    ['emails', 'Other', ['a@example.com', 'a@example.com', 'b@example.com', 'b@example.com'], 'text'],
    ['different texts', 'Name', ['Ada', 'Bob', 'Eve'], 'text'],
    ['only dashes', 'Note', ['-', '-'], 'text'],
    ['no values', 'Note', ['', ' '], 'text'],
  ])('of %s', (_, name, values, kind) => {
    expect(proposeField(name, values).kind).toBe(kind);
  });

  it('has choices and settings', () => {
    expect(proposeField('Plan', ['Pro', 'Basic', 'Pro', 'Basic'])).toEqual({
      kind: 'select',
      choices: ['Pro', 'Basic'],
      settings: {},
    });
    expect(proposeField('Topics', ['News, Events', 'Events, News'])).toEqual({
      kind: 'multiselect',
      choices: ['News', 'Events'],
      settings: { separator: ',' },
    });
    expect(proposeField('Score', ['7', 'n/a']).settings).toEqual({ empty: 'n/a' });
    expect(choicesFor('multiselect', ['a;b', ' b ; c'])).toEqual(['a', 'b', 'c']);
    expect(choicesFor('select', ['a;b', 'c', 'c'])).toEqual(['a;b', 'c']);
  });
});

describe('the settings that are proposed', () => {
  it('read days with two digits of the year, and times with AM and PM', () => {
    expect(dateFormatOf(['31.12.24'])).toEqual({ format: 'DD.MM.YY', choices: [] });
    expect(dateFormatOf(['12/31/24 3:04 PM'])).toEqual({ format: 'MM/DD/YY h:mm A', choices: [] });
  });

  it('differ between the columns of a file', () => {
    const columns = [
      { kind: 'date', values: ['12/31/24 3:04 PM', '1/15/24 3:04 AM'] },
      { kind: 'date', values: ['31.12.1990', '1.2.1991'] },
      { kind: 'number', values: ['1.234,50', '2,5'] },
      { kind: 'number', values: ['1.5'] },
      { kind: 'checkbox', values: ['Ja', 'Nein'] },
      { kind: undefined, values: ['1,5'] },
    ] as const;
    expect(proposeSettings(columns)).toEqual({
      decimal: ',',
      dates: { format: '', choices: [] },
      columns: [
        { dateFormat: 'M/D/YY h:mm A' },
        { dateFormat: 'D.M.YYYY' },
        undefined,
        { decimal: '.' },
        { true: 'Ja', false: 'Nein' },
        undefined,
      ],
    });
  });

  it('are none for the words that the service knows', () => {
    expect(checkboxWords(['yes', 'NO', '1'])).toEqual({});
    expect(checkboxWords(['yes', 'perhaps'])).toBeUndefined();
  });

  it('are sent as lists, and without those of other kinds', () => {
    expect(columnSettings('checkbox', { true: 'Ja, WAHR,', false: ' ', decimal: ',' })).toEqual({
      true: ['Ja', 'WAHR'],
    });
    expect(columnSettings('multiselect', { separator: ' ' })).toEqual({ separator: ' ' });
    expect(columnSettings('text', {})).toBeUndefined();
  });

  it('have the column of emails, whatever its name', () => {
    const columns = [{ values: ['Ada'] }, { values: ['ada@example.com', 'bob@example.com'] }];
    expect(withEmail(['', ''], columns)).toEqual(['', 'email']);
    expect(withEmail(['email', ''], columns)).toEqual(['email', '']);
  });
});

describe('the values of a column', () => {
  const file = { decimal: '.', dateFormat: '', timeZone: '' } as const;
  const field = { key: 'a', label: 'A', required: false };

  it('are read as the service reads them', () => {
    const read = readValues({ ...field, kind: 'number', max: 5 }, file, { decimal: ',', empty: ['n/a'] }, [
      '1,5',
      'n/a',
      'tall',
      '7',
    ]);
    expect(read).toEqual([
      { text: '1,5', value: '1.5' },
      { text: 'n/a', value: 'no value' },
      { text: 'tall', problem: 'must be a number' },
      { text: '7', problem: 'must be at most 5' },
    ]);
    const days = readValues({ ...field, kind: 'date' }, file, { dateFormat: 'DD.MM.YY' }, ['31.12.24', '31.13.24']);
    expect(days.map(({ value, problem }) => value ?? problem)).toEqual([
      'Dec 31, 2024',
      expect.stringMatching(/^must be/),
    ]);
    const topics = { ...field, kind: 'multiselect', enum: ['x', 'y'] } as const;
    expect(readValues({ ...topics, enum: ['x', 'y'] }, file, { separator: ',' }, ['x,y', 'z'])).toEqual([
      { text: 'x,y', value: 'x, y' },
      { text: 'z', problem: expect.any(String) },
    ]);
  });
});

describe('the reasons of rejections', () => {
  it('are counted, the most frequent first', () => {
    const errors = [
      { line: 2, message: 'A must be a number' },
      { line: 3, message: 'B is required; A must be a number' },
      { line: 4, message: 'C must be a date' },
      { line: 5, message: 'C must be a date' },
      { line: 6, message: 'C must be a date' },
    ];
    expect(reasonsOf(errors)).toEqual([
      { reason: 'C must be a date', lines: 3 },
      { reason: 'A must be a number', lines: 2 },
      { reason: 'B is required', lines: 1 },
    ]);
    expect(errors.map(couldOmit)).toEqual([true, false, true, true, true]);
    expect(couldOmit({ line: 2, message: 'E-Mail must be an email address' })).toBe(false);
  });
});

describe('the separator that Excel expects', () => {
  it.each([
    ['en-US', ','],
    ['en-GB', ','],
    ['de-DE', ';'],
    ['de-CH', ','],
    ['fr-FR', ';'],
    ['ja', ','],
  ])('in %s', (tag, delimiter) => {
    expect(excelDelimiter(tag)).toBe(delimiter);
  });
});
