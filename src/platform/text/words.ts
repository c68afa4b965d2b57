import { normalized } from './text.ts';

/** The letters of a word that are kept for its index, in UTF-16 units. Longer ones are compared. */
const KEPT = 16;

/** Stored instead of the words of a text with too many of them: a search reads such a record. */
export const ANY_WORD = '*';

/** Accents, vowel points and characters without a width. Every Unicode version agrees on ranges. */
const IGNORED = new RegExp(
  String.raw`[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f` +
    String.raw`\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u2060\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]`,
  'g',
);

/** Letters that have no decomposition, as they are typed on other keyboards. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
};
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'g');

// biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
const ASCII = /^[\x00-\x7f]*$/;

/** Returns a text in the form in which words are compared: without case and accents. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return normalized(text, 'NFKD')
    .replace(IGNORED, '')
    .toLowerCase()
    .replace(SPELLED, (letter) => SPELLINGS[letter] ?? letter);
}

const IN_WORDS = '\\p{L}\\p{N}\\p{M}';
/** Letters of scripts that are written without spaces. */
const UNSPACED = `[[${IN_WORDS}]&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]]`;
const SPACED = `[[${IN_WORDS}]--${UNSPACED}]`;
const RUNS = new RegExp(`(${UNSPACED}+)|${SPACED}+`, 'gv');
const ASCII_RUNS = /[a-z0-9]+/g;

function keptPart(word: string): string {
  if (word.length <= KEPT) return word;
  const isCutInPair = (word.charCodeAt(KEPT - 1) & 0xfc00) === 0xd800;
  return word.slice(0, isCutInPair ? KEPT - 1 : KEPT);
}

/**
 * Adds the words of a text, as they are kept, until there are more than `most`. A word is a run of
 * letters and digits. In scripts without spaces, a word begins at each letter.
 */
export function addWords(words: Set<string>, text: string, most: number): void {
  const folded = foldText(text);
  // biome-ignore lint/plugin: ends after `most` words, in linear time
  for (const [run, unspaced] of folded.matchAll(ASCII.test(folded) ? ASCII_RUNS : RUNS)) {
    if (words.size > most) return;
    if (!unspaced) words.add(keptPart(run));
    else {
      const letters = [...unspaced];
      for (let at = 0; at < letters.length && words.size <= most; at += 1) {
        words.add(keptPart(letters.slice(at, at + KEPT).join('')));
      }
    }
  }
}

/** Separates the texts of a record when they are compared as one. No phrase continues after it. */
export const BETWEEN_TEXTS = '\0';

/** The search for words that begin like those of a query (spec 4.3). */
interface WordQuery {
  /** The longest words, as they are kept. Each match has words that begin like all of them. */
  kept: readonly string[];
  /** No record matches a query without a letter or digit. */
  isEmpty: boolean;
  /** @param folded texts from {@link foldText}, with {@link BETWEEN_TEXTS} */
  matches(folded: string): boolean;
  /** Patterns that an ASCII text in lower case matches if it has all words; else undefined. */
  asciiPatterns: readonly string[] | undefined;
}

/** The most words of a query that are looked up in an index. All are compared. */
const MAX_KEPT = 4;

/** Parses a query: words, and phrases in quotes. */
export function parseWords(query: string): WordQuery {
  const phrases: Run[][] = [];
  // biome-ignore lint/plugin: of at most 100 characters
  for (const [, quoted, plain] of query.matchAll(/"([^"]*)"?|([^"]+)/g)) {
    const runs = runsOf(quoted ?? plain ?? '');
    if (runs.length === 0) continue;
    phrases.push(...(quoted === undefined ? runs.map((run) => [run]) : [runs]));
  }
  const patterns = phrases.map((runs) => new RegExp(phrasePattern(runs), 'v'));
  const texts = phrases.flat().map(({ text }) => text);
  const isAscii = texts.every((text) => ASCII.test(text));
  return {
    kept: longest(texts.map(keptPart)),
    isEmpty: phrases.length === 0,
    matches: (folded) => patterns.length > 0 && patterns.every((pattern) => pattern.test(folded)),
    asciiPatterns: isAscii ? phrases.map(asciiPattern) : undefined,
  };
}

interface Run {
  text: string;
  isUnspaced: boolean;
}

function runsOf(text: string): Run[] {
  // biome-ignore lint/plugin: of at most 100 characters
  return Array.from(foldText(text).matchAll(RUNS), ([run, unspaced]) => ({
    text: run,
    isUnspaced: unspaced !== undefined,
  }));
}

/** The words of a phrase follow one another. All are whole but the last one. */
function phrasePattern(runs: readonly Run[]): string {
  return runs
    .map(({ text, isUnspaced }, at) => {
      const begin = isUnspaced ? text : `(?<!${SPACED})${text}`;
      const end = `(?!${isUnspaced ? UNSPACED : SPACED})[^${IN_WORDS}\\0]*`;
      return at === runs.length - 1 ? begin : begin + end;
    })
    .join('');
}

const asciiPattern = (runs: readonly Run[]): string =>
  `(?:^|[^a-z0-9])${runs.map(({ text }) => text).join('[^a-z0-9]+')}`;

/** Without words that others begin with. */
function longest(words: readonly string[]): string[] {
  const sorted = [...words].sort((one, other) => other.length - one.length);
  return sorted.filter((word, at) => !sorted.slice(0, at).some((longer) => longer.startsWith(word))).slice(0, MAX_KEPT);
}
