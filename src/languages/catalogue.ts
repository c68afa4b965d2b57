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

/** The codes of the English texts without placeholders, for texts of schema libraries. */
const CODES: ReadonlyMap<string, Code> = new Map(
  (Object.keys(en) as Code[]).flatMap((code) => (typeof en[code] === 'string' ? [[en[code], code] as const] : [])),
);

/** Returns the code of an English text: the one that it names, or that of the same text. */
export function codeOf({ code, message }: { code?: string | undefined; message: string }): Code | undefined {
  return code !== undefined && Object.hasOwn(en, code) ? (code as Code) : CODES.get(message);
}
