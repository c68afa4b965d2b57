import { describe, expect, it } from 'vitest';
import { APP_ID_PATTERN } from '../../../src/platform/core/identifiers.ts';
import { passwordProblem } from '../../../src/platform/core/secrets.ts';
import { createPasswordHasher, generatePassword } from '../../../src/platform/log-ins/passwords.ts';

const LOW_COST = 4;
const WAITER = { network: '192.0.2.1', known: true, leftMs: () => 30_000 };

describe('a sourceAppId (spec 2.2)', () => {
  it.each(['a', '1', '.', '-_.', 'A-b_c.9', 'x'.repeat(80)])('may be %s', (id) => {
    expect(id).toMatch(APP_ID_PATTERN);
  });
  it.each(['', ' ', 'a b', 'a/b', 'é', 'a\n', 'a\0', '$a', 'x'.repeat(81)])('may not be %j', (id) => {
    expect(id).not.toMatch(APP_ID_PATTERN);
  });
});

describe('a password', () => {
  it('is generated with 24 or more URL-safe characters, and differs each time', () => {
    const passwords = Array.from({ length: 200 }, generatePassword);
    expect(new Set(passwords).size).toBe(passwords.length);
    for (const password of passwords) expect(password).toMatch(/^[A-Za-z0-9_-]{24,72}$/);
  });

  it.each(['x', 'x'.repeat(72), 'é'.repeat(36), ' '])('may be %j', (password) => {
    expect(passwordProblem(password)).toBeUndefined();
  });

  // bcrypt truncates all but the first of these silently.
  it.each(['', 'a\0b', 'x'.repeat(73), 'é'.repeat(37), '😀'.repeat(19)])('may not be %j', (password) => {
    expect(passwordProblem(password)).toMatch(/^(empty|hasNul|tooManyBytes \{"max":72\})$/);
  });
});

describe('the password hasher', () => {
  it('accepts the right password only', async () => {
    const hasher = createPasswordHasher(LOW_COST);
    const hash = await hasher.hash('right');
    expect(hash).not.toContain('right');
    expect(await hasher.verify('right', hash, WAITER)).toBe(true);
    expect(await hasher.verify('wrong', hash, WAITER)).toBe(false);
    expect(await hasher.verify('right', undefined, WAITER)).toBe(false);
  });

  it('uses cost 12 (spec 2.2)', async () => {
    expect(await createPasswordHasher().hash('x')).toMatch(/^\$2b\$12\$/);
  });
});
