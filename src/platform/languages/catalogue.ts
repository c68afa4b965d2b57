import { en } from './en.ts';
import { fill, type NumberRules, type Params, type Plural, type Text } from './texts.ts';

/** The identifier of a text for visitors, the same in every language. */
export type Code = keyof typeof en;

/** The texts of a language. One without plural forms has a single text. */
export type Catalogue = {
  readonly [Name in Code]: (typeof en)[Name] extends string ? string : string | Plural;
};

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
