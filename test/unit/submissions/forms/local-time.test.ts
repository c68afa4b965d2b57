import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toInstantIn } from '../../../../src/features/display/local-time.ts';
import { valueFromForm } from '../../../../src/features/display/presentation.ts';

const convert = (zone: string, text: string) => toInstantIn(zone)?.(text);

describe('the instant of a local time (spec 2.7, rule 6)', () => {
  it.each([
    ['Europe/Berlin', '2026-01-31T08:30:00', '2026-01-31T08:30:00+01:00'],
    ['Europe/Berlin', '2026-07-31T08:30:00', '2026-07-31T08:30:00+02:00'],
    ['europe/berlin', '2026-07-31T08:30:00', '2026-07-31T08:30:00+02:00'],
    ['Asia/Kolkata', '2026-01-31T08:30:15.25', '2026-01-31T08:30:15.25+05:30'],
    ['Asia/Calcutta', '2026-01-31T08:30:15', '2026-01-31T08:30:15+05:30'],
    ['America/St_Johns', '2026-01-31T00:00:00', '2026-01-31T00:00:00-03:30'],
    ['UTC', '2026-01-31T08:30:00.001', '2026-01-31T08:30:00.001+00:00'],
    ['Etc/GMT+5', '2024-02-29T23:59:59', '2024-02-29T23:59:59-05:00'],
  ])('in %s of %s is %s', (zone, text, instant) => {
    expect(convert(zone, text)).toBe(instant);
  });

  it.each([
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T02:30:00+02:00'],
    ['America/New_York', '2026-11-01T01:00:00', '2026-11-01T01:00:00-04:00'],
    // Half an hour occurs twice.
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-05T01:45:00+11:00'],
  ])('in %s of %s, which occurs twice, is the earlier one, %s', (zone, text, instant) => {
    expect(convert(zone, text)).toBe(instant);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T03:30:00+02:00'],
    ['America/New_York', '2026-03-08T02:00:00', '2026-03-08T03:00:00-04:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-04T02:45:00+11:00'],
    // A whole day was left out.
    ['Pacific/Apia', '2011-12-30T10:00:00', '2011-12-31T10:00:00+14:00'],
  ])('in %s of %s, which does not occur, is %s', (zone, text, instant) => {
    expect(convert(zone, text)).toBe(instant);
  });

  it('is in UTC when the offset has seconds', () => {
    expect(convert('Europe/Berlin', '1850-01-01T00:00:00')).toBe('1849-12-31T23:06:32.000Z');
  });

  it.each([
    '',
    'Berlin/Europe',
    'Local',
    '+01:00',
    '-01',
    'Europe/Berlin ',
    'Europe/Berlin\n',
    '__proto__',
    'x'.repeat(10_000),
  ])('does not exist for the time zone %j', (zone) => {
    expect(toInstantIn(zone)).toBeUndefined();
  });

  it('is what the zone shows as that local time, except in a gap', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
    const time = fc.date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2100-01-01') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), time, (zone, date) => {
        const text = date.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
        const instant = new Date(convert(zone, text) ?? '');
        const shown = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
        const isInGap = shown.format(instant).replace(' ', 'T') !== text;
        // Clocks of these zones are set forward by at most an hour.
        if (isInGap) expect(shown.format(instant).replace(' ', 'T') > text).toBe(true);
        const before = new Date(instant.getTime() - 3_600_000);
        if (isInGap) expect(shown.format(before).replace(' ', 'T') < text).toBe(true);
      }),
    );
  });
});

describe('a date field of a form with a time zone', () => {
  it.each([
    ['2026-01-31T08:30', { value: '2026-01-31T08:30:00+01:00' }],
    ['2026-01-31', { value: '2026-01-31' }],
    ['0000-01-01T00:00', { problem: expect.objectContaining({ code: 'notDate' }) }],
    ['9999-12-31T23:59:59.999', { value: '9999-12-31T23:59:59.999+01:00' }],
  ])('takes %s', (text, converted) => {
    expect(valueFromForm({ kind: 'date' }, [text], { toInstant: toInstantIn('Europe/Berlin') })).toEqual(converted);
  });
});
