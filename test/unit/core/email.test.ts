import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeEmail } from '../../../src/platform/core/identifiers.ts';

const label = 'd'.repeat(63);

describe('normalizeEmail (spec 4.1)', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' \t Ada@Example.COM \n', 'ada@example.com'],
    ["o'Neil+tag.x_y-z@sub.example.co.uk", "o'neil+tag.x_y-z@sub.example.co.uk"],
    ['!#$%&*/=?^`{|}~@example.com', '!#$%&*/=?^`{|}~@example.com'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    ['a@1.example', 'a@1.example'],
    ['a@example.x1', 'a@example.x1'],
    [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
    [`a@${label}.example`, `a@${label}.example`],
  ])('normalizes %j to %j', (input, stored) => {
    expect(normalizeEmail(input)).toBe(stored);
  });

  it.each([
    '',
    ' ',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'a@b@example.com',
    'a b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@.example.com',
    'a@example..com',
    'a@example.com.',
    'a@-example.com',
    'a@example-.com',
    'a@exa_mple.com',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'a@example.123',
    '"a"@example.com',
    '"a b"@example.com',
    'Ada <ada@example.com>',
    'a\0@example.com',
    'a@example.com\0',
    'a\n@example.com',
    'ä@example.com',
    'a@bücher.example',
    // The Kelvin sign has the lower case k, and the long s has the upper case S.
    '\u212Aim@example.com',
    '\u017Fam@example.com',
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(64)}.example`,
    `${'l'.repeat(64)}@${label}.${label}.${label}`,
  ])('refuses %j', (input) => {
    expect(normalizeEmail(input)).toBeUndefined();
  });

  it('accepts up to 254 characters', () => {
    const emailOfLength = (length: number): string => {
      const local = 'l'.repeat(64);
      const rest = length - local.length - 1 - 2 * 64;
      return `${local}@${label}.${label}.${'d'.repeat(rest - 4)}.com`;
    };
    expect(normalizeEmail(emailOfLength(254))).toHaveLength(254);
    expect(normalizeEmail(emailOfLength(255))).toBeUndefined();
  });

  it('is idempotent and returns ASCII only', () => {
    const nearlyValid = fc.stringMatching(/^[ -~\u0130\u017F\u212A]{1,20}@[ -~\u0130\u212A]{1,12}\.[a-zA-Z]{1,5}$/);
    fc.assert(
      fc.property(fc.oneof(nearlyValid, fc.emailAddress(), fc.string()), (input) => {
        const stored = normalizeEmail(input);
        if (stored === undefined) return;
        expect(normalizeEmail(stored)).toBe(stored);
        expect(stored).toMatch(/^[!-~]+$/);
      }),
    );
  });
});
