import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Catalogue, type Code, fillText, toCatalogue } from '../../../src/platform/languages/catalogue.ts';
import { en } from '../../../src/platform/languages/en.ts';
import { CATALOGUES, languageOf, OWN_LANGUAGES } from '../../../src/platform/languages/languages.ts';
import { codeOf, say } from '../../../src/platform/languages/reasons.ts';
import { forTag, isCanonicalTag, matchTag } from '../../../src/platform/languages/tags.ts';

const CODES = Object.keys(en) as Code[];
const formsOf = (entry: string | object): string[] =>
  typeof entry === 'string' ? [entry] : Object.entries(entry).flatMap(([name, text]) => (name === 'by' ? [] : [text]));
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
/** Languages in which a noun after a number has one form. */
const WITHOUT_PLURAL = ['ja', 'tr', 'zh'];

it('each language is one file', () => {
  const files = readdirSync(new URL('../../../src/platform/languages/texts/', import.meta.url));
  expect(['en.json', ...files].sort()).toEqual(OWN_LANGUAGES.map((tag) => `${tag}.json`).sort());
  for (const tag of ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ar', 'ja', 'zh']) {
    expect(OWN_LANGUAGES).toContain(tag);
  }
});

describe.each([...CATALOGUES])('the texts of %s', (tag, catalogue) => {
  it('have exactly the codes of English, and none is empty', () => {
    expect(Object.keys(catalogue)).toEqual(CODES);
    for (const code of CODES) for (const text of formsOf(catalogue[code])) expect(text.trim()).not.toBe('');
  });

  it('have the placeholders of English', () => {
    for (const code of CODES) {
      const [expected = ''] = formsOf(en[code]);
      for (const text of formsOf(catalogue[code]))
        expect([code, placeholders(text)]).toEqual([code, placeholders(expected)]);
    }
  });

  it('have a form for each plural category of the language', () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    for (const code of CODES) {
      if (typeof en[code] === 'string') expect(typeof catalogue[code]).toBe('string');
      else if (WITHOUT_PLURAL.includes(tag)) expect(typeof catalogue[code]).toBe('string');
      else {
        const names = Object.keys(catalogue[code]).filter((name) => name !== 'by');
        expect([code, names.sort()]).toEqual([code, [...pluralCategories].sort()]);
      }
    }
  });

  it('are written in the language', () => {
    if (tag === 'en') return expect(catalogue).toBe(en);
    const same = CODES.filter((code) => JSON.stringify(formsOf(catalogue[code])) === JSON.stringify(formsOf(en[code])));
    expect(same.filter((code) => code !== 'email')).toEqual([]);
  });
});

describe('the texts of a file', () => {
  const german = CATALOGUES.get('de');

  it.each([
    ['lack a code', { email: undefined }],
    ['lack a text with plural forms', { tooLong: undefined }],
    ['have an unknown code', { unknown: 'Text' }],
    ['lack a placeholder', { tooSmall: 'Muss größer sein' }],
    ['have an unknown placeholder', { email: 'E-Mail {name}' }],
    ['lack a placeholder in a form of a plural', { tooLong: { one: 'Zu lang', other: 'Länger als {max}' } }],
    ['lack the form of other numbers', { tooLong: { one: 'Länger als {max}' } }],
    ['have plural forms where English has none', { email: { other: 'E-Mail' } }],
  ])('are refused when they %s', (_, change) => {
    const texts = { ...german, ...change } as Catalogue;
    const message = `The texts of xx differ from those of English: ${Object.keys(change).join()}`;
    expect(() => toCatalogue('xx', texts)).toThrow(message);
  });
});

describe('a language', () => {
  it.each([
    ['pl', 1, 'Może mieć najwyżej 1 znak'],
    ['pl', 3, 'Może mieć najwyżej 3 znaki'],
    ['pl', 5, 'Może mieć najwyżej 5 znaków'],
    ['pl', 22, 'Może mieć najwyżej 22 znaki'],
    ['ar', 2, 'يجب ألا يزيد على حرفين (2)'],
    ['ar', 5, 'يجب ألا يزيد على 5 أحرف'],
    ['ar', 11, 'يجب ألا يزيد على 11 حرفًا'],
    ['de', 12345, 'Darf höchstens 12.345 Zeichen haben'],
    ['en', 1, 'must have at most 1 character'],
    ['en', 12345, 'must have at most 12,345 characters'],
  ])('%s selects the form of the plural of %d, and writes it as the language does', (tag, max, text) => {
    expect(languageOf(tag).text('tooLong', { max })).toBe(text);
  });

  it('writes numbers exactly', () => {
    expect(languageOf('de').text('tooSmall', { min: 0.1 })).toBe('Muss mindestens 0,1 sein');
    expect(languageOf('de').text('tooSmall', { min: 1e300 })).toContain('1e+300');
    expect(languageOf('de').text('tooSmall', { min: 1e-9 })).toContain('1e-9');
    expect(say('tooSmall', { min: 1234567.5 }).message).toBe('must be at least 1234567.5');
  });

  it('writes times with Intl', () => {
    const at = new Date('2026-01-31T07:30:00Z');
    expect(languageOf('en').dateTime(at, 'Europe/Berlin')).toBe('31 January 2026 at 08:30 (Europe/Berlin)');
    expect(languageOf('de').dateTime(at, 'Europe/Berlin')).toBe('31. Januar 2026 um 08:30 (Europe/Berlin)');
  });

  it.each([
    ['pt-BR', 'pt', 'ltr'],
    ['ar-EG', 'ar', 'rtl'],
    ['he', 'en', 'rtl'],
    ['sv', 'en', 'ltr'],
  ])('%s has the texts of %s and the direction %s', (tag, own, dir) => {
    expect(languageOf(tag)).toMatchObject({ tag, own, dir });
  });

  it('does not fill placeholders in values', () => {
    expect(languageOf('en').text('mailReason', { title: '{title} $& {x}' })).toContain('form: {title} $& {x}');
    expect(fillText(en, 'renamed', {}, { category: () => 'other', show: String })).toBe('was renamed to ');
  });
});

describe('tags', () => {
  it('match the tag that is asked for, else its language', () => {
    const offered = ['en', 'pt-BR', 'de-AT', 'de'];
    const asked = ['DE', 'de-CH', 'pt', 'pt-PT', 'en-GB', 'fr', '', '-', 'x'.repeat(1000)];
    expect(asked.map((tag) => matchTag(offered, tag))).toEqual([
      'de',
      'de',
      'pt-BR',
      'pt-BR',
      'en',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are canonical', () => {
    expect(['de', 'pt-BR', 'zh-Hant-TW'].filter((tag) => !isCanonicalTag(tag))).toEqual([]);
    expect(['DE', 'pt-br', '', 'a.b', '$x', '__proto__', 'de_DE'].filter(isCanonicalTag)).toEqual([]);
  });

  it('find own members only', () => {
    expect(forTag({ pt: 1 }, 'pt-BR')).toBe(1);
    expect(forTag({ 'pt-BR': 1 }, 'pt')).toBeUndefined();
    expect(forTag({} as Record<string, unknown>, 'constructor')).toBeUndefined();
  });

  it('codes are those of the English catalogue', () => {
    expect(codeOf('tooLong')).toBe('tooLong');
    expect(['constructor', en.notText, '', undefined].filter(codeOf)).toEqual([]);
  });
});
