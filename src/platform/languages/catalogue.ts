import { en } from './en.ts';
import { fill, type NumberRules, type Params, type Plural } from './texts.ts';

/** The identifier of a text for visitors, the same in every language. */
export type Code = keyof typeof en;

/** The texts of a language. One without plural forms has a single text. */
export type Catalogue = {
  readonly [Name in Code]: (typeof en)[Name] extends string ? string : string | Plural;
};

/** Fills in the placeholders of a text, such as `{max}`. */
export function fillText(catalogue: Catalogue, code: Code, params: Params, numbers: NumberRules): string {
  const [text, english] = [catalogue[code], en[code]];
  const isPlural = typeof text !== 'string' && typeof english !== 'string';
  return fill(isPlural ? { ...text, by: english.by } : String(text), params, numbers);
}
