import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addWords, BETWEEN_TEXTS, foldText, parseWords } from '../../../src/platform/text/words.ts';

function words(text: string, most = 1_000): string[] {
  const found = new Set<string>();
  addWords(found, text, most);
  return [...found];
}

const matches = (query: string, ...texts: string[]): boolean =>
  parseWords(query).matches(foldText(texts.join(BETWEEN_TEXTS)));

describe('foldText', () => {
  it.each([
    ['CHLOÉ', 'chloe'],
    ['Chloe\u0301', 'chloe'],
    ['Straße STRASSE', 'strasse strasse'],
    ['Łódź Ærø İstanbul ılık', 'lodz aero istanbul ilik'],
    ['ΟΔΟΣ οδός', 'οδοσ οδοσ'],
    ['Ｆｕｌｌ ﬁne', 'full fine'],
    ['Ёлка', 'елка'],
    ['co\u00adop', 'coop'],
  ])('%j is %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it('is the same for a folded text, of every character', { tags: 'long' }, () => {
    for (let first = 0; first <= 0x10_ffff; first += 0x400) {
      if (first >= 0xd800 && first < 0xe000) continue;
      const characters = Array.from({ length: 0x400 }, (_, at) => String.fromCodePoint(first + at));
      const folded = foldText(characters.join(' '));
      expect(foldText(folded)).toBe(folded);
    }
  });
});

describe('addWords', () => {
  it.each([
    ['ada.lovelace+x@example.com', ['ada', 'lovelace', 'x', 'example', 'com']],
    ["O'Brien 2026-01-31", ['o', 'brien', '2026', '01', '31']],
    ['iPhone用ケース', ['iphone', '用ケース', 'ケース', 'ース', 'ス']],
    ['abcdefghijklmnopqrstuvwxyz', ['abcdefghijklmnop']],
    [`${'a'.repeat(15)}😀`, ['a'.repeat(15)]],
    [`${'a'.repeat(15)}𝔄b`, [`${'a'.repeat(15)}a`]],
    [`${'a'.repeat(15)}𐐨b`, ['a'.repeat(15)]],
    ['... 😀 \ud800 !', []],
  ])('%j has %j', (text, found) => {
    expect(words(text)).toEqual(found);
  });

  it('stops after more words than are wanted', () => {
    expect(words('a b c d e f', 3)).toHaveLength(4);
    expect(words('東京東北西南中央', 3)).toHaveLength(4);
  });
});

describe('parseWords', () => {
  it.each([
    ['chloe', ['Chloé'], true],
    ['schmidt ada', ['Ada Schmidt'], true],
    ['schmidt ada', ['Ada', 'Schmidt'], true],
    ['"ada schmidt"', ['Ada', 'Schmidt'], false],
    ['"ada schmidt"', ['x ADA, schmidts'], true],
    ['"ad schmidt"', ['Ada Schmidt'], false],
    ['"ada schmidt', ['Ada Schmidtke'], true],
    ['x "ada schmidt" y', ['ada schmidt', 'y', 'x'], true],
    ['midt', ['Schmidt'], false],
    ['京タ', ['東京タワー'], true],
    ['"京タ x"', ['東京タ x'], true],
    ['"京タ x"', ['東京タワ x'], false],
    ['"iphone 用"', ['iPhone用ケース'], true],
    ['用', ['iPhone用ケース'], true],
    ['b', ['aéb', 'a1b'], false],
    ['', ['a'], false],
    ['"" .', ['a'], false],
  ])('%s in %j: %j', (query, texts, result) => {
    expect(matches(query, ...texts)).toBe(result);
  });

  it('looks up the longest words, without beginnings of others', () => {
    expect(parseWords('a ada "of adam" b cc dddd eeeee').kept).toEqual(['eeeee', 'adam', 'dddd', 'of']);
    expect(parseWords('x'.repeat(40)).kept).toEqual(['x'.repeat(16)]);
    expect(parseWords('!').isEmpty).toBe(true);
  });

  const letters = [
    'a',
    'A',
    'á',
    'b',
    'ß',
    's',
    'ı',
    '東',
    '京',
    'ー',
    'ｶ',
    '1',
    '-',
    ' ',
    '.',
    '김',
    'ก',
    'ิ',
    '😀',
    '𐐀',
  ];
  const text = fc.array(fc.constantFrom(...letters), { maxLength: 40 }).map((some) => some.join(''));

  it('a word is found exactly where an indexed word begins like it', { tags: 'long' }, () => {
    const property = fc.property(text, text, (query, stored) => {
      const { kept, isEmpty, matches: isMatch } = parseWords(query.replaceAll('"', ''));
      const indexed = words(stored);
      const isIndexed = kept.every((word) => indexed.some((one) => one.startsWith(word)));
      if (isEmpty) expect(isMatch(foldText(stored))).toBe(false);
      else if (isMatch(foldText(stored))) expect(isIndexed).toBe(true);
      else if (words(query).every((word) => word.length < 15) && words(query).length <= 4)
        expect(isIndexed).toBe(false);
    });
    fc.assert(property, { numRuns: 1_500 });
  });

  it('each word of a text is found by each of its beginnings', () => {
    const property = fc.property(text, fc.nat(), (stored, at) => {
      const all = words(stored);
      const word = [...(all[at % Math.max(1, all.length)] ?? '')];
      if (word.length === 0) return;
      expect(matches(word.slice(0, 1 + (at % word.length)).join(''), stored)).toBe(true);
    });
    fc.assert(property, { numRuns: 1_500 });
  });
});
