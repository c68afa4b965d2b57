import { describe, expect, it } from 'vitest';
import { reasons as english, type ReasonCode, reasonOf, say } from '../../../src/platform/languages/reasons.ts';
import { reasons as german } from '../../../web/src/texts/de/reasons.ts';
import { reasonIn, reasonText } from '../../../web/src/texts/reasons.ts';

const inGerman = reasonIn(german, 'de');
const CODES = Object.keys(english) as ReasonCode[];
const formsOf = (text: string | object): string[] =>
  typeof text === 'string' ? [text] : Object.entries(text).flatMap(([name, form]) => (name === 'by' ? [] : [form]));
const valuesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

describe('the reasons in German', () => {
  it('have the values of the English ones', () => {
    for (const code of CODES) {
      const [expected = ''] = formsOf(english[code]);
      for (const form of formsOf(german[code])) expect([code, valuesIn(form)]).toEqual([code, valuesIn(expected)]);
    }
  });

  it('are written in German', () => {
    const same = CODES.filter((code) => JSON.stringify(german[code]) === JSON.stringify(english[code]));
    expect(same).toEqual(['unfit']);
  });

  it.each([
    [reasonOf('userNotFound'), 'Person nicht gefunden'],
    [say('tooLong', { max: 500 }), 'darf höchstens 500 Zeichen haben'],
    [say('notOneOf', { values: 'off, pow (default)' }), 'muss eines von off, pow (default) sein'],
    [say('listFull', { path: 'data.visits', max: 1_000 }), 'data.visits ist voll: Es fasst höchstens 1.000 Einträge'],
    [say('listFull', { path: 'data.visits', max: 1 }), 'data.visits ist voll: Es fasst höchstens 1 Eintrag'],
    [say('patternInvalid', { reason: 'missing )' }), 'ist kein verwendbares Muster: missing )'],
    [{ message: 'A reason of a later version', code: 'later', params: { max: 1 } }, 'A reason of a later version'],
    [{ message: 'An answer of a proxy' }, 'An answer of a proxy'],
    [{ message: 'No own member', code: 'constructor' }, 'No own member'],
  ])('say %j', (sent, text) => {
    expect(inGerman(sent)).toBe(text);
  });
});

it('English shows a reason as it was sent', () => {
  expect(reasonText(say('listFull', { path: 'data.visits', max: 1_000 }))).toBe(
    'data.visits is full: it holds at most 1000 items',
  );
});
