import { z } from 'zod';
import { code, problem } from '../../../platform/languages/problems.ts';
import { say } from '../../../platform/languages/reasons.ts';
import { stepsLeft } from '../../../platform/text/check-context.ts';
import { ecmaPattern } from '../../../platform/text/ecma-pattern.ts';
import { indexText } from '../../../platform/text/index-value.ts';
import { isTime, lastOf, withLineFeeds } from '../../../platform/text/plain-texts.ts';
import { compilePattern, type PatternBudget } from '../../../platform/text/regex.ts';
import { autocomplete, help, hidden, initialValue, placeholder, prefill, source, ui } from '../base/form-options.ts';
import { Count, defineKind, type FieldBase, indexed, type JsonSchema } from '../base/kind.ts';
import { TEXT_VALUES } from '../base/queries.ts';

const options = {
  minLength: { schema: Count.optional(), control: 'number', stricter: 'higher' },
  maxLength: { schema: Count.optional(), control: 'number', stricter: 'lower' },
  regex: {
    schema: z.string().optional(),
    control: 'pattern',
  },
  indexed,
} as const;

const Value = z.string(code('notText'));

/** A string. Lengths count Unicode code points. */
export const text = defineKind({
  name: 'text',
  options,
  formOptions: {
    help,
    placeholder,
    ui: ui(['textarea', 'tel', 'url', 'email', 'time']),
    default: initialValue(z.string()),
    autocomplete,
    source,
    hidden,
    prefill,
  },

  checkDefinition({ minLength, maxLength, regex, ui: given, default: initial }, report, budget) {
    if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
      report('aboveMaxLength', 'minLength');
    }
    if (regex !== undefined) {
      const compiled = compilePattern(regex, budget);
      if ('problem' in compiled) report(compiled.problem, 'regex');
    }
    if (given !== 'time') return;
    const { length } = '00:00';
    if (Number(minLength ?? 0) > length || Number(maxLength ?? length) < length) report('noRoomForTime', 'ui');
    if (initial !== undefined && !isTime(initial)) report('notTime', 'default');
  },

  schema({ required, minLength = 0, maxLength = Number.POSITIVE_INFINITY, regex }) {
    const least = required ? Math.max(1, minLength) : minLength;
    const pattern = regex === undefined ? undefined : storedPattern(regex);
    const find = (value: string): ReturnType<typeof problem> | undefined => {
      // A text of n UTF-16 units has n/2 to n code points, so most texts need not be counted.
      const length = value.length > maxLength || value.length < least * 2 ? codePoints(value) : value.length;
      if (length < least) return least === 1 ? problem('empty') : problem('tooShort', { min: least });
      if (length > maxLength) return problem('tooLong', { max: maxLength });
      const mismatch = pattern?.check(value, stepsLeft());
      return mismatch && problem(mismatch);
    };
    return Value.check(({ value, issues }) => {
      const found = find(value);
      if (found) issues.push(found);
    });
  },

  describe: ({ required, minLength, maxLength, regex }) => ({
    minLength: required ? Math.max(1, minLength ?? 0) : minLength,
    maxLength,
    ...(regex !== undefined && describePattern(regex)),
  }),

  staysHidden: false,
  indexValue: indexText,
  queried: TEXT_VALUES,
  conditionChecks: ({ maxLength: max = Number.POSITIVE_INFINITY }) => ({
    contains(part) {
      if (typeof part !== 'string') return 'notText';
      return [...part].length > max ? say('tooLong', { max }) : undefined;
    },
  }),
  cell: 'text',
  inWords: (value) => (typeof value === 'string' ? value : undefined),
  repliedTo: 'confirmed',
  fromTexts: (texts) => lastOf(texts, (text) => ({ value: withLineFeeds(text) })),
  sample: sampleText,
  valueType: () => 'text',
  control: 'text',
  controlOf: (definition) => definition.ui ?? 'text',
  // HTML counts UTF-16 units, of which a character has one or two. There is no `pattern`: its
  // syntax differs, and it has to match the whole text.
  attributes: ({ minLength, maxLength, ui: given }) =>
    given === 'time'
      ? {}
      : { minlength: minLength, maxlength: maxLength && 2 * maxLength, 'data-max-length': maxLength },
});

function describePattern(regex: string): JsonSchema {
  const pattern = ecmaPattern(regex);
  return pattern === undefined ? { $comment: `The text must also match the RE2 expression ${regex}` } : { pattern };
}

function storedPattern(regex: string) {
  // The definition was checked before, perhaps by a release with another limit.
  const pattern = compilePattern(regex, { instructions: Number.POSITIVE_INFINITY });
  if ('problem' in pattern) throw new Error(`stored pattern does not compile: ${pattern.problem}`);
  return pattern;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** Texts of common forms. The first one that matches the pattern of a field is its sample. */
const CANDIDATES = [
  'Some text',
  'ada',
  'Ada',
  'ADA',
  'ada@example.com',
  '12345',
  '1234',
  '123456',
  '+441234567890',
  'AB-1234',
  'ABC123',
  'https://example.com',
  'A',
  '1',
];

/** A sample is not padded beyond this, whatever the minimum length of its field. */
const MAX_SAMPLE_LENGTH = 10_000;

interface TextDefinition extends FieldBase {
  minLength?: number | undefined;
  maxLength?: number | undefined;
  regex?: string | undefined;
}

function sampleText(
  { key, minLength = 0, maxLength = MAX_SAMPLE_LENGTH, regex }: TextDefinition,
  budget: PatternBudget,
): string {
  const likely = /name/i.test(key) ? ['Ada Lovelace'] : [];
  const fitting = [...likely, ...CANDIDATES].map((candidate) =>
    candidate.padEnd(Math.min(minLength, MAX_SAMPLE_LENGTH), 'a').slice(0, maxLength),
  );
  if (regex === undefined) return fitting[0] ?? '';
  const none = `Text that matches ${regex}`;
  // Before the compilation, which takes time too.
  if (budget.steps <= 0) return none;
  const pattern = storedPattern(regex);
  return fitting.find((candidate) => pattern.check(candidate, budget) === undefined) ?? none;
}
