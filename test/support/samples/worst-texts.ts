/** Units of texts that take some program longer than others of their length. */
const UNITS: Readonly<Record<string, string>> = {
  'marks of two classes in turns': '\u0301\u0316',
  'marks that only a compatible form has': '\uff9e\u0301',
  'families of emoji': '👨‍👩‍👧',
  'letters and lone surrogates': 'a\ud800',
  dots: '.',
  spaces: ' ',
  tabs: '\t',
  NULs: '\0',
  digits: '9',
  'parentheses that open': '(',
  'classes that open': '[[:',
  'less-than signs': '<',
  'beginnings of references': '&#',
  'pairs of asterisks': '**',
  'links without an address': '[](',
  'quotes and commas': '",',
  backslashes: '\\',
  'parts of addresses': '@a.',
};

/** A text, by how often its unit is repeated: something else is at its beginning and at its end. */
export type WorstText = (count: number) => string;

export const worstTexts = Object.entries(UNITS).map(([name, unit]): [name: string, text: WorstText] => [
  name,
  (count) => `a${unit.repeat(count)}b`,
]);

export const harmlessText: WorstText = (count) => 'a'.repeat(count + 2);

/** The longest text of a kind of which a size, which grows with each unit, is at most `most`. */
export function longest(text: WorstText, most: number, sizeOf: (text: string) => number): string {
  const least = sizeOf(text(0));
  const each = Math.max(1, (sizeOf(text(64)) - least) / 64);
  return text(Math.max(0, Math.floor((most - least) / each)));
}
