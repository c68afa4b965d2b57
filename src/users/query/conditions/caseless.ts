import { literal } from '../../../database/pattern.ts';

/**
 * A pattern that matches this text with each letter in upper or lower case. Unlike the option `i`,
 * it matches no letter whose form in an index slot differs.
 */
export function caseless(text: string): string {
  return [...text].map(oneOf).join('');
}

function oneOf(character: string): string {
  const forms = [
    character,
    ...[character.toLowerCase(), character.toUpperCase()].filter((form) => isCaseOf(form, character)),
  ];
  const distinct = [...new Set(forms)];
  return distinct.length === 1 ? literal(character) : `[${distinct.map(literal).join('')}]`;
}

function isCaseOf(form: string, character: string): boolean {
  return [...form].length === 1 && inSlot(form) === inSlot(character);
}

const inSlot = (text: string): string => text.normalize('NFKC').toLowerCase();
