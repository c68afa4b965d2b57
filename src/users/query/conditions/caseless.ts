import { literal } from '../../../database/pattern.ts';
import { normalizedText } from '../../../fields/index-value.ts';

/**
 * A pattern that matches this text with each letter in upper or lower case. Unlike the option `i`,
 * it matches no letter whose value in an index slot differs.
 */
export function caseless(text: string): string {
  return [...text].map(oneOf).join('');
}

function oneOf(character: string): string {
  const upper = character.toUpperCase();
  // A sigma has two lower-case letters.
  const cases = [character.toLowerCase(), upper, ...(upper === 'Σ' ? ['σ', 'ς'] : [])];
  const forms = [...new Set([character, ...cases.filter((form) => isCaseOf(form, character))])];
  return forms.length === 1 ? literal(character) : `[${forms.map(literal).join('')}]`;
}

function isCaseOf(form: string, character: string): boolean {
  return [...form].length === 1 && normalizedText(form) === normalizedText(character);
}
