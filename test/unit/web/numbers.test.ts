import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numbersIn } from '../../../web/src/texts/numbers.ts';

describe('numbers of a page', () => {
  it.each([
    ['de', '2,5', 2.5],
    ['de', '1.234,75', 1234.75],
    ['de', '1.234.567', 1_234_567],
    ['de-AT', '1.234,75', 1234.75],
    ['de-AT', '1\u00A0234,75', 1234.75],
    ['de', '-0,5', -0.5],
    ['de', '−,5', -0.5],
    ['de', '10.50', undefined],
    ['de', '1.23', undefined],
    ['de', '12.34,5', undefined],
    ['de-CH', "1'234.5", 1234.5],
    ['en', '10.50', 10.5],
    ['en', '1.0', 1],
    ['en', ' 7. ', 7],
    ['en', '1,234.75', 1234.75],
    ['en', '2,5', undefined],
    ['en', '1.234,75', undefined],
    ['en', '1,234 567', undefined],
    ['en', '0x10', undefined],
    ['en', '1e3', undefined],
    ['en', 'Infinity', undefined],
    ['en', '.', undefined],
    ['en', '-', undefined],
    ['en', '', undefined],
    ['en', '9'.repeat(400), undefined],
  ])('%s: %j is %s', (locale, text, number) => {
    expect(numbersIn(locale).read(text)).toBe(number);
  });

  it.each(['en', 'de', 'de-CH', 'en-ZA'])('that %s writes are read as the same numbers', (locale) => {
    const { read, write } = numbersIn(locale);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(read(write(number))).toBe(number === 0 ? 0 : number);
      }),
    );
    expect(write(1e21)).toBe('1000000000000000000000');
    expect(write(-1.5e-7).replace(',', '.')).toBe('-0.00000015');
  });
});
