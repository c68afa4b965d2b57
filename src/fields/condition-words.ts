import type { Code } from '../platform/languages/catalogue.ts';
import type { Params } from '../platform/languages/texts.ts';
import { formatDay } from './base/iso-date.ts';
import type { Choice } from './base/kind.ts';
import type { Condition, ConditionOperator, Conditions } from './conditions.ts';
import { plainLabel } from './marks.ts';

/** The part of the control of a field that its conditions name. */
interface NamedControl {
  label: string;
  kind?: string | undefined;
  choices: readonly Choice[];
}
type Controls = ReadonlyMap<string, NamedControl>;

/** Returns a text of the service in the language of the controls. */
type ServiceText = (code: Code, params?: Params) => string;

/** The text of each operator, but for a box and `exists`. */
const WORDS: Readonly<Record<Exclude<ConditionOperator, 'exists'>, Code>> = {
  eq: 'valueIs',
  ne: 'valueIsNot',
  in: 'valueIs',
  contains: 'valueContains',
  gt: 'isMore',
  gte: 'isAtLeast',
  lt: 'isLess',
  lte: 'isAtMost',
};

const WORDS_OF_DATES: Readonly<Partial<Record<ConditionOperator, Code>>> = {
  gt: 'isAfter',
  gte: 'isFrom',
  lt: 'isBefore',
  lte: 'isUntil',
};

/**
 * Returns conditions in words, such as `Plan is Pro`, with the labels of fields and choices.
 *
 * @param controls the controls of the form by key, in the same language
 * @param tag the language of the dates; empty: English
 */
export function conditionWords({ all, any }: Conditions, controls: Controls, tag: string, text: ServiceText): string {
  const words = (all ?? any ?? []).map((condition) => wordsOf(condition, controls, tag, text));
  return words.reduce((one, other) => text(all ? 'bothAre' : 'oneIs', { one, other }));
}

function wordsOf({ field: key, op, value }: Condition, controls: Controls, tag: string, text: ServiceText): string {
  const control = controls.get(key);
  const field = control ? plainLabel(control) : key;
  const kind = control?.kind;
  if (op === 'exists') return text(value === false ? 'isNotFilled' : 'isFilled', { field });
  if (kind === 'checkbox') return text((value === true) === (op === 'eq') ? 'isTicked' : 'isNotTicked', { field });
  const nameOf = (one: unknown): string | number => {
    if (typeof one === 'number') return one;
    const name = control?.choices.find((choice) => choice.value === one)?.label ?? String(one);
    return kind === 'date' ? dateWords(name, tag) : name;
  };
  const names = [value].flat().map(nameOf);
  const words = names.length === 1 ? names[0] : names.reduce((one, other) => text('oneIs', { one, other }));
  const code = (kind === 'date' && WORDS_OF_DATES[op]) || (kind === 'multiselect' ? 'valueContains' : WORDS[op]);
  return text(code, { field, value: words ?? '' });
}

/** A date-time keeps its form, which has its zone. */
function dateWords(text: string, tag: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const language = tag === '' || tag === 'en' ? 'en-GB' : tag;
  return formatDay(new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }), new Date(text));
}
