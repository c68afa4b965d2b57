import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../../web/src/import/advice.ts';
import { dateFormatOf, decimalOf } from '../../../web/src/import/proposals.ts';
import { readHead } from '../../../web/src/import/read-file.ts';
import { suggestMap } from '../../../web/src/import/suggest.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';

await loadTexts();

describe('the decimal mark of the numbers of a file', () => {
  it.each([
    ['a comma before one or two digits', ['1,5', '12', '2,25'], ','],
    ['a comma after a zero', ['0,125'], ','],
    ['a comma after four digits', ['1234,567'], ','],
    ['what could be thousands', ['1,234', '12,345'], '.'],
    ['thousands of millions', ['1,234,567', '1,234'], '.'],
    ['points', ['1.5', '2.25'], '.'],
    ['more points than commas', ['1.5', '2.25', '1,5'], '.'],
    ['whole numbers', ['1', '2'], '.'],
    ['no values', [], '.'],
  ])('with %s', (_, values, mark) => {
    expect(decimalOf(values)).toBe(mark);
  });
});

describe('the date format of a file', () => {
  it.each([
    ['ISO 8601', ['2026-01-31', '2026-02-01T08:30:00Z'], ''],
    ['German days', ['31.01.2026', '01.02.2026'], 'DD.MM.YYYY'],
    ['days of one digit', ['1.2.2026', '31.12.2026'], 'D.M.YYYY'],
    ['days with points that could be months', ['01.02.2026'], 'DD.MM.YYYY'],
    ['British days', ['31/01/2026', '01/02/2026'], 'DD/MM/YYYY'],
    ['American days', ['01/31/2026', '2/1/2026'], 'M/D/YYYY'],
    ['the year first', ['2026/01/31', '2026/02/01'], 'YYYY/MM/DD'],
    ['times', ['31.01.2026 08:30', '01.02.2026 17:05'], 'DD.MM.YYYY HH:mm'],
    ['times with seconds', ['31/01/2026 8:30:00'], 'DD/MM/YYYY H:mm:ss'],
    ['a local time in the order of ISO 8601', ['2026-01-31 08:30'], 'YYYY-MM-DD HH:mm'],
    ['some that are no dates', ['31.01.2026', '01.02.2026', '03.02.2026', '04.02.2026', 'unknown'], 'DD.MM.YYYY'],
    ['mostly no dates', ['31.01.2026', 'x', 'y'], ''],
    ['days that no calendar has', ['31.02.2026'], ''],
    ['no values', ['', ' '], ''],
  ])('with %s', (_, values, format) => {
    expect(dateFormatOf(values)).toEqual({ format, choices: [] });
  });

  it('is left to the reader when days could be months', () => {
    expect(dateFormatOf(['01/02/2026', '03/04/2026'])).toEqual({ format: '', choices: ['DD/MM/YYYY', 'MM/DD/YYYY'] });
    expect(dateFormatOf(['1-2-2026'])).toEqual({ format: '', choices: ['D-M-YYYY', 'M-D-YYYY'] });
    expect(dateFormatOf(['01/02/2026', '13/02/2026'])).toEqual({ format: 'DD/MM/YYYY', choices: [] });
  });
});

describe('the head of a file', () => {
  it('has more values than it shows, and none of lines with other cells', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `p${index}@example.com;${index},5`);
    const { columns } = await readHead(new File(['mail;n\n', lines.join('\n'), '\nx;y;z\n'], 'a.csv'));
    expect(columns[1]?.examples).toEqual(['0,5', '1,5', '2,5']);
    expect(columns[1]?.values).toEqual(lines.map((line) => line.split(';')[1]));
  });
});

describe('the advice for an import that rejected every line', () => {
  const settings = {
    format: 'csv',
    mode: 'upsert',
    arrays: 'append',
    invalid: 'skip',
    decimal: '.',
    dryRun: true,
  } as const;
  const rejecting = (messages: string[], rejected = messages.length, others: object = {}) =>
    adviceFor({
      read: rejected,
      rejected,
      settings: { ...settings, ...others },
      errors: messages.map((message, index) => ({ line: index + 2, message })),
    });

  it('names what to change', () => {
    const date = 'Birthday must be a date like 2026-01-31 or a date-time with its zone like 2026-01-31T08:30:00Z';
    expect(rejecting([date, `${date}; Age must be a number`])).toEqual({
      title: `Every line was rejected because: ${date}`,
      text: 'Set “Date format” to the format of Birthday, such as DD/MM/YYYY.',
    });
    const formatted = rejecting(['Born must be a date like DD/MM/YYYY'], 1, { dateFormat: 'DD/MM/YYYY' });
    expect(formatted?.text).toBe('The dates of Born are not like DD/MM/YYYY. Set another “Date format”.');
    expect(rejecting(['Age must be a number'])?.text).toContain('Set “Numbers” to “1,5” if Age has a decimal comma');
    const comma = rejecting(['Age must be a number with a decimal comma'], 1, { decimal: ',' });
    expect(comma?.text).toBe('Set “Numbers” to “1.5”.');
    expect(rejecting(['E-Mail must be an email address'])?.text).toContain('Choose the column that has the emails');
    expect(rejecting(['data.name is required'])?.text).toContain('Choose the column of the file for data.name');
    expect(rejecting(['no record has this email'])?.text).toContain('“Create and update people”');
    expect(rejecting(['Born has no time zone: set timeZone'])?.text).toContain('Set “Time zone”');
    expect(rejecting(['Note must have at most 5 characters'])?.text).toBe('Change the file, or the schema.');
  });

  it('says that only the first errors are known', () => {
    expect(rejecting(Array(20).fill('Age must be a number'), 5_000)?.title).toBe(
      'Every line was rejected, the first 20 because: Age must be a number',
    );
  });

  it('is none for other imports', () => {
    expect(rejecting([])).toBeUndefined();
    expect(rejecting(['Age must be a number', 'E-Mail must be an email address'])).toBeUndefined();
    expect(rejecting(['the person was erased and must not be imported again'])).toBeUndefined();
    const errors = [{ line: 2, message: 'Age must be a number' }];
    expect(adviceFor({ read: 2, rejected: 1, errors, settings })).toBeUndefined();
  });
});

describe('the proposed map of columns', () => {
  const field = (key: string) => ({ key, label: key }) as Parameters<typeof suggestMap>[1][number];

  it('has the column of further keys where the schema allows them, unless a field has its name', () => {
    const columns = ['email', 'data.name', 'other'];
    expect(suggestMap(columns, [field('name')], true)).toEqual(['email', 'data.name', 'other']);
    expect(suggestMap(columns, [field('name')], false)).toEqual(['email', 'data.name', '']);
    expect(suggestMap(columns, [field('name'), field('other')], true)).toEqual(['email', 'data.name', 'data.other']);
    const both = [...columns, 'data.other'];
    expect(suggestMap(both, [field('name'), field('other')], true)).toEqual([
      'email',
      'data.name',
      'other',
      'data.other',
    ]);
  });

  it('gives each of two columns of one name a path, and no path to two columns', () => {
    const mail = { key: 'mail', label: 'email' } as Parameters<typeof suggestMap>[1][number];
    expect(suggestMap(['id', 'email', 'email'], [mail])).toEqual(['', 'email', 'data.mail']);
    expect(suggestMap(['First Name', 'First Name'], [field('firstName')])).toEqual(['data.firstName', '']);
    expect(suggestMap(['E-Mail', 'email'], [])).toEqual(['', 'email']);
  });
});
