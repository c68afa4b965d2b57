import { describe, expect, it } from 'vitest';
import { normalized, trimmedOf } from '../../../src/platform/text/text.ts';

const FORMS = ['NFC', 'NFKD'] as const;
const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const areMarks = (text: string): boolean => /^\p{M}+$/u.test(text);
const isDivided = (text: string): boolean => normalized(text, 'NFC').includes('\u034f');

describe('normalized', () => {
  it.each(FORMS)('is %s for a text with at most 30 marks in a row', { tags: 'long' }, (form) => {
    for (let first = 0; first < characters.length; first += 0x1000) {
      const text = characters.slice(first, first + 0x1000).join('a');
      expect(normalized(text, form)).toBe(text.normalize(form));
    }
    const text = `e${'\u0316\u0301'.repeat(15)}\uac00\u11a8`;
    expect(normalized(text.repeat(3), form)).toBe(text.repeat(3).normalize(form));
  });

  it('divides each run of more marks after 30 of them', () => {
    const [low, high] = ['\u0316'.repeat(15), '\u0301'.repeat(15)];
    expect(normalized(`x${high}${low}\u0316y`, 'NFC')).toBe(`x${low}${high}\u034f\u0316y`);
    expect(normalized(`x${(high + low).repeat(3)}y`, 'NFC')).toBe(`x${`${low}${high}\u034f`.repeat(2)}${low}${high}y`);
  });

  it('counts every character that is a mark, or decomposes to marks', { tags: 'long' }, () => {
    const joined = characters.filter((character) => areMarks(character.normalize('NFKD')));
    expect(joined.length).toBeGreaterThan(2_000);
    expect(joined.filter((character) => !isDivided(character.repeat(31)))).toEqual([]);
    expect(characters.filter((character) => !areMarks(character) && isDivided(character.repeat(31)))).toEqual([
      '\uff9e',
      '\uff9f',
    ]);
  });
});

describe('trimmedOf', () => {
  it.each([
    [' .a. b. ', 'a. b'],
    ['. .', ''],
    ['', ''],
    ['a', 'a'],
    ['a.', 'a'],
    [' a', 'a'],
  ])('%j is %j without dots and spaces at its ends', (text, trimmed) => {
    expect(trimmedOf('. ', text)).toBe(trimmed);
  });
});
