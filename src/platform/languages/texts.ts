/** The forms of a text by the categories of `Intl.PluralRules`. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** A text with placeholders such as `{max}`. `by` names the number that selects the form. */
export type Text = string | (Plural & { readonly by: string });

/** The values of placeholders. Numbers are shown as the language writes them. */
export type Params = Readonly<Record<string, string | number>>;

/** The numbers of a language. */
export interface NumberRules {
  category(value: number): Intl.LDMLPluralRule;
  show(value: number): string;
}

/** Fills in the placeholders of a text. */
export function fill(text: Text, params: Params, numbers: NumberRules): string {
  return formOf(text, params, numbers).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    return typeof value === 'number' ? numbers.show(value) : (value ?? '');
  });
}

function formOf(text: Text, params: Params, numbers: NumberRules): string {
  if (typeof text === 'string') return text;
  const value = params[text.by];
  return (typeof value === 'number' && text[numbers.category(value)]) || text.other;
}

/** The English of programs: numbers without separators, as in JSON. */
export const PLAIN_NUMBERS: NumberRules = { category: (value) => (value === 1 ? 'one' : 'other'), show: String };

/** Beyond these a number in digits is longer than in the form of JSON. */
const LARGE = 1e15;
const SMALL = 1e-6;

/** Returns how a language writes numbers. @param tag a valid BCP 47 tag */
export function numberRules(tag: string): NumberRules {
  const plurals = new Intl.PluralRules(tag);
  const format = new Intl.NumberFormat(tag, { maximumFractionDigits: 20 });
  return {
    category: (value) => plurals.select(value),
    show(value) {
      const size = Math.abs(value);
      return size >= LARGE || (size < SMALL && size > 0) ? String(value) : format.format(value);
    },
  };
}
