import { problems } from './en.ts';
import { refusals } from './refusals.ts';
import { rules } from './rules.ts';
import { fill, type Params, PLAIN_NUMBERS } from './texts.ts';

/** The English texts of all problems and refusals (spec 7). */
export const reasons = { ...problems, ...rules, ...refusals };

/** The identifier of a problem or a refusal. */
export type ReasonCode = keyof typeof reasons;

type Named<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
type TextOf<Code extends ReasonCode> = (typeof reasons)[Code] extends { other: infer Text }
  ? Text
  : (typeof reasons)[Code];

export type ValuesOf<Code extends ReasonCode> = Readonly<Record<Named<TextOf<Code>>, string | number>>;

/** The codes of texts without values. */
export type PlainCode = { [Code in ReasonCode]: [Named<TextOf<Code>>] extends [never] ? Code : never }[ReasonCode];

/** What follows a code: its values, if its text has any. */
export type ArgumentsOf<Code extends ReasonCode> = Code extends PlainCode ? [] : [values: ValuesOf<Code>];

/** A text in English, with what another language needs to say the same. */
export interface Reason {
  message: string;
  code: ReasonCode;
  params?: Params | undefined;
}

/** What an error or a report takes: a code alone, where its text has no values. */
export type Given = PlainCode | Reason;

/** One violation in an input. `path` is its place, such as `data.age`; empty for all of it. */
export interface Issue extends Reason {
  path: string;
}

/** Maximum number of issues in a response (spec 7). */
export const MAX_ISSUES = 20;

/** Returns the English text of a problem or a refusal, with its code and values. */
export function say<Code extends ReasonCode>(code: Code, ...[params]: ArgumentsOf<Code>): Reason {
  return reasonOf(code, params);
}

export const toReason = (given: Given): Reason => (typeof given === 'string' ? reasonOf(given) : given);

/** Returns the reason of a code whose values the types do not know. */
export function reasonOf(code: ReasonCode, params?: Params): Reason {
  return { message: fill(reasons[code], params ?? {}, PLAIN_NUMBERS), code, ...(params && { params }) };
}

/** Returns a code that is given as any text, such as the message of a schema. */
export function codeOf(text = ''): ReasonCode | undefined {
  return Object.hasOwn(reasons, text) ? (text as ReasonCode) : undefined;
}
