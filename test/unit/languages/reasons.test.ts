import { describe, expect, it } from 'vitest';
import { problems } from '../../../src/platform/languages/en.ts';
import { type ReasonCode, reasonOf, reasons, say } from '../../../src/platform/languages/reasons.ts';
import { refusals } from '../../../src/platform/languages/refusals.ts';
import { rules } from '../../../src/platform/languages/rules.ts';

const CODES = Object.keys(reasons) as ReasonCode[];

describe('the reasons', () => {
  it('have one code for each text, and one text for each code', () => {
    expect(CODES).toHaveLength([problems, rules, refusals].flatMap((texts) => Object.keys(texts)).length);
    const texts = CODES.map((code) => JSON.stringify(reasons[code]));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it('have short codes in lower camel case', () => {
    expect(CODES.filter((code) => !/^[a-z][a-zA-Z0-9]{0,29}$/.test(code))).toEqual([]);
  });

  it('are said with numbers as JSON writes them, and with the form of a plural', () => {
    expect(say('otherCountErased', { count: 1 })).toEqual({
      message: '1 record matches; nothing was erased',
      code: 'otherCountErased',
      params: { count: 1 },
    });
    expect(say('otherCountErased', { count: 12_345 }).message).toBe('12345 records match; nothing was erased');
    expect(reasonOf('notFound')).toEqual({ message: 'Not found', code: 'notFound' });
  });

  it('need the values of their text', () => {
    // @ts-expect-error The text has `{max}`.
    say('memberLimit');
    // @ts-expect-error The text has `{max}`.
    say('memberLimit', { min: 1 });
    // @ts-expect-error The text has no value.
    say('notFound', { max: 1 });
    expect(say('memberLimit', { max: 50 }).message).toBe('An app has at most 50 members');
  });
});
