import { en } from './en.ts';
import { fill, type NumberRules, type Params, type Plural, type Text } from './texts.ts';

/** The identifier of a text for visitors, the same in every language. */
export type Code = keyof typeof en;

/** The texts of a language. One without plural forms has a single text. */
export type Catalogue = {
  readonly [Name in Code]: (typeof en)[Name] extends string ? string : string | Plural;
};

/**
 * Returns the texts of a language.
 * @throws when its codes, or the placeholders of a text, are not those of English
 */
export function toCatalogue(tag: string, texts: Readonly<Record<string, string | Plural>>): Catalogue {
  const wrong = Object.keys({ ...en, ...texts }).filter((code) => !isTranslation(texts[code], en[code as Code]));
  if (wrong.length > 0) throw new Error(`The texts of ${tag} differ from those of English: ${wrong.join(', ')}`);
  return texts as Catalogue;
}

/** Returns whether a text has the placeholders of the English one, in each of its forms. */
function isTranslation(text: string | Plural | undefined, english: Text | undefined): boolean {
  if (text === undefined || english === undefined) return false;
  if (typeof english === 'string') return typeof text === 'string' && placeholders(text) === placeholders(english);
  const forms = typeof text === 'string' ? { other: text } : text;
  return 'other' in forms && Object.values(forms).every((form) => placeholders(form) === placeholders(english.other));
}

const placeholders = (text: string): string => (text.match(/\{\w+\}/g) ?? []).sort().join();

/** Returns a text with its placeholders, such as `{max}`. */
export function template(catalogue: Catalogue, code: Code): Text {
  const [text, english] = [catalogue[code], en[code]];
  const isPlural = typeof text !== 'string' && typeof english !== 'string';
  return isPlural ? { ...text, by: english.by } : String(text);
}

/** Fills in the placeholders of a text. */
export function fillText(catalogue: Catalogue, code: Code, params: Params, numbers: NumberRules): string {
  return fill(template(catalogue, code), params, numbers);
}
