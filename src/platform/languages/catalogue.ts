import { en } from './en.ts';

/** The identifier of a text, the same in every language. */
export type Code = keyof typeof en;

/** The forms of a text by the categories of `Intl.PluralRules`. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The texts of a language. One without plural forms has a single text. */
export type Catalogue = {
  readonly [Name in Code]: (typeof en)[Name] extends string ? string : string | Plural;
};

/** The values of placeholders. Numbers are shown as the language writes them. */
export type Params = Readonly<Record<string, string | number>>;

/** The numbers of a language. */
export interface NumberRules {
  category(value: number): Intl.LDMLPluralRule;
  show(value: number): string;
}

/** Fills in the placeholders of a text, such as `{max}`. */
export function fillText(catalogue: Catalogue, code: Code, params: Params, numbers: NumberRules): string {
  const entry = catalogue[code];
  const text = typeof entry === 'string' ? entry : selectForm(entry, en[code], params, numbers);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    return typeof value === 'number' ? numbers.show(value) : (value ?? '');
  });
}

function selectForm(forms: Plural, english: (typeof en)[Code], params: Params, numbers: NumberRules): string {
  const value = typeof english === 'string' ? undefined : params[english.by];
  return (typeof value === 'number' && forms[numbers.category(value)]) || forms.other;
}

/** A text in English with what other languages need to say the same. */
interface Said {
  message: string;
  code: Code;
  params?: Params;
}

/** The English of programs: numbers without separators, as in JSON. */
export const PLAIN_NUMBERS: NumberRules = { category: (value) => (value === 1 ? 'one' : 'other'), show: String };

/** Returns the English text of a problem or a refusal (spec 7) with its code. */
export function say(code: Code, params?: Params): Said {
  return { message: fillText(en, code, params ?? {}, PLAIN_NUMBERS), code, ...(params && { params }) };
}

/** Returns a code that is given as any text, such as the message of a schema. */
export function codeOf(text = ''): Code | undefined {
  return Object.hasOwn(en, text) ? (text as Code) : undefined;
}
