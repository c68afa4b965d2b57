import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../../src/platform/core/errors.ts';
import { checkNumbers } from '../../../src/platform/http/strict-json.ts';

const isTaken = (json: string): boolean => {
  JSON.parse(json); // the check is for valid JSON only
  try {
    checkNumbers(json);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return false;
  }
};

/** A number on its own and in places where a reader may lose track of what is text. */
const placesOf = (literal: string): string[] => [
  literal,
  `[0,${literal}]`,
  `{"a":"x","b":${literal}}`,
  `{"a\\"":[{"b":"\\\\"},${literal} ]}`,
  `{"\\\\\\"1":${literal},"c":"1234567890123456789"}`,
];

describe('numbers that JavaScript keeps', () => {
  it.each([
    '0',
    '-0',
    '0e5',
    '0.000',
    '0e-999',
    '-0.0E-400',
    `0.${'0'.repeat(400)}`,
    '9007199254740992',
    '-9007199254740992',
    '9007199254740991',
    '1234567890123456',
    '0.1',
    '1e300',
    '-1.5e-300',
    '5e-324',
    '0.1234567890123456789',
    `0.${'0'.repeat(300)}1`,
    '12345678901234567.5',
  ])('%s is taken', (literal) => {
    for (const json of placesOf(literal)) expect(isTaken(json), json).toBe(true);
  });
});

describe('numbers that JavaScript alters', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '18446744073709551615',
    '1152921504606846976',
    '9'.repeat(300),
    '9'.repeat(5_000),
    '12345678901234567890',
    '1e-400',
    '-1e-400',
    '0.1E-399',
    '123e-999',
    `0.${'0'.repeat(330)}1`,
    `-0.${'0'.repeat(400)}9e-5`,
    '3e-325',
  ])('%s is refused', (literal) => {
    for (const json of placesOf(literal)) expect(isTaken(json), json).toBe(false);
  });

  it('says what to do', () => {
    expect(() => checkNumbers('9007199254740993')).toThrow(/integer beyond 2\^53.*send it as text/);
    expect(() => checkNumbers('1e-400')).toThrow(/too small/);
  });
});

describe('for any', () => {
  it('integer: it is taken when JavaScript writes it in the same way, as it does up to 2^53', { tags: 'long' }, () => {
    const integer = fc.oneof(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n }),
      fc.bigInt({ min: 0n, max: 10n ** 60n }),
      fc.integer({ min: 53, max: 100 }).map((power) => 2n ** BigInt(power)),
    );
    fc.assert(
      fc.property(integer, (value) => {
        const literal = value.toString();
        const isSame = String(JSON.parse(literal)) === literal;
        for (const json of placesOf(literal)) expect(isTaken(json)).toBe(isSame);
        // Up to 2^53 every integer is kept; beyond it an altered one is refused.
        if (value >= -(2n ** 53n) && value <= 2n ** 53n) expect(isSame).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('number: what JSON.stringify writes is taken', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, (value) => {
        expect(isTaken(JSON.stringify({ value }))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('fraction with an exponent: it is refused when it is not 0 and becomes 0', () => {
    const literal = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: -420, max: 200 }))
      .map(([digits, exponent]) => ({ digits, text: `${digits}.0e${exponent}` }));
    fc.assert(
      fc.property(literal, ({ digits, text }) => {
        expect(isTaken(text)).toBe(digits === 0n || Number(text) !== 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('text: what looks like a number in it does not matter', () => {
    const confusing = fc.string({ unit: fc.constantFrom('"', '\\', '9007199254740993', '1e-400', ',', ':', ' ', '{') });
    fc.assert(
      fc.property(confusing, confusing, (key, value) => {
        expect(isTaken(JSON.stringify({ [key]: value, list: [value, { value: key }] }))).toBe(true);
        expect(isTaken(JSON.stringify({ [key]: value }).replace(/}$/, ',"n":9007199254740993}'))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
