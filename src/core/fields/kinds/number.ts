import { z } from 'zod';
import { code, problem } from '../../../platform/languages/problems.ts';
import { say } from '../../../platform/languages/reasons.ts';
import { forTag } from '../../../platform/languages/tags.ts';
import { type Interval, only } from '../../../platform/text/comparison.ts';
import { DECIMAL, lastTrimmed } from '../../../platform/text/plain-texts.ts';
import { autocomplete, help, hidden, initialValue, placeholder, prefill, ui } from '../base/form-options.ts';
import { byLanguage, type Choice, type ConvertedText, defineKind, type FieldOption, indexed } from '../base/kind.ts';
import { askOrder, OF_ORDER, queriedNumber, type Refused } from '../base/queries.ts';

const LONG_INTEGER = /^-?\d{16,}$/;
/** A digit other than 0 before the exponent. */
const NONZERO = /^[^eE]*[1-9]/;

const Value = z.number(code('notNumber'));

/** The most values that stars and scales offer. */
const MAX_STEPS = 11;

const End = z.string().max(100).optional();
const Ends = z.strictObject({ min: End, max: End });

/** The texts at both ends of a scale. */
const ends = { schema: Ends.optional(), control: 'ends' } as const satisfies FieldOption;
const endsByLanguage = {
  schema: byLanguage(Ends).optional(),
  control: 'endsByLanguage',
} as const satisfies FieldOption;

/** A finite JSON number with inclusive bounds. A numeric string is not a number. */
export const number = defineKind({
  name: 'number',
  options: {
    min: { schema: z.number().optional(), control: 'number', stricter: 'higher' },
    max: { schema: z.number().optional(), control: 'number', stricter: 'lower' },
    indexed,
  },
  formOptions: {
    help,
    placeholder,
    ui: ui(['stars', 'scale']),
    ends,
    endsByLanguage,
    default: initialValue(z.number()),
    autocomplete,
    hidden,
    prefill,
  },
  checkDefinition({ min, max, ui: given, ends: texts, endsByLanguage: translated }, report) {
    if (min !== undefined && max !== undefined && min > max) report('aboveMax', 'min');
    else if (given !== undefined && stepsOf(min, max) === undefined) report(say('notSteps', { max: MAX_STEPS }), 'ui');
    if (given !== undefined) return;
    const values = 'stars, scale';
    if (texts !== undefined) report(say('onlyWithUi', { values }), 'ends');
    if (translated !== undefined) report(say('onlyWithUi', { values }), 'endsByLanguage');
  },
  schema: ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
    Value.check(({ value, issues }) => {
      if (value < min) issues.push(problem('tooSmall', { min }));
      else if (value > max) issues.push(problem('tooLarge', { max }));
    }),
  describe: ({ min, max }) => ({ minimum: min, maximum: max }),
  indexValue: (value) => (typeof value === 'number' ? value : null),
  staysHidden: false,
  queried: {
    name: 'number',
    operators: OF_ORDER,
    ask: (operator, texts) => askOrder(operator, texts, readNumber),
    sortValue: (value) => (typeof value === 'number' ? value : undefined),
    chart: 'numbers',
    indexBound: (value) => value,
  },
  cell: 'number',
  inWords: (value) => (typeof value === 'number' ? String(value) : undefined),
  repliedTo: 'everyone',
  fromTexts: (texts) => lastTrimmed(texts, convertNumber),
  sample({ min, max }) {
    if (min !== undefined && min > 1) return min;
    if (max !== undefined && max < 1) return max;
    return 1;
  },
  valueType: () => 'number',
  control: 'number',
  controlOf: (definition) => definition.ui ?? 'number',
  attributes: ({ min, max, ui: given }) => (given === undefined ? { step: 'any', min, max } : {}),
  choices({ min, max, ui: given }, _, text): Choice[] {
    if (given === undefined) return [];
    return (stepsOf(min, max) ?? []).map((step) => {
      return { value: String(step), label: given === 'stars' ? text('stars', { count: step }) : String(step) };
    });
  },
  isClearable: (definition) => definition.ui !== undefined && !definition.required,
  ends: ({ ends: texts, endsByLanguage: translated }, tag) => ({ ...texts, ...forTag(translated, tag) }),
});

/** Returns the whole numbers from `min` to `max`; undefined if there are too many or none. */
function stepsOf(min = Number.NaN, max = Number.NaN): number[] | undefined {
  const count = max - min + 1;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || count < 2 || count > MAX_STEPS) return undefined;
  return Array.from({ length: count }, (_, index) => min + index);
}

/** Refuses what a JSON body may not have either: numbers that a double would alter (spec 8). */
function convertNumber(text: string): ConvertedText {
  if (!DECIMAL.test(text)) return { problem: say('notNumber') };
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: say('notNumber') };
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  if (LONG_INTEGER.test(digits) && String(value) !== digits) return { problem: say('tooManyDigits') };
  if (value === 0 && NONZERO.test(text)) return { problem: say('nearZero') };
  return { value };
}

function readNumber(text: string): Interval | Refused {
  const number = queriedNumber(text);
  return number === undefined ? { problem: say('notNumberValue') } : only(number);
}
