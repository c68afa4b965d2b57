import { z } from 'zod';
import type { Code } from '../../../platform/languages/catalogue.ts';
import { code, problem } from '../../../platform/languages/problems.ts';
import { type Reason, say } from '../../../platform/languages/reasons.ts';
import { today } from '../../../platform/text/check-context.ts';
import { instantsOf } from '../../../platform/text/comparison.ts';
import { dayOf, formatDay, isDay, isIsoDate, parseInstant } from '../../../platform/text/iso-date.ts';
import { lastTrimmed } from '../../../platform/text/plain-texts.ts';
import { autocomplete, help, hidden, initialValue, prefill } from '../base/form-options.ts';
import { defineKind, indexed, type TextContext } from '../base/kind.ts';
import { askOrder, OF_ORDER } from '../base/queries.ts';

// The text of an `<input type="datetime-local">`: browsers send at most three fractional digits.
const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(?:\.\d{1,3})?)?$/;

const Value = z.string(code('notDate')).check(({ value, issues }) => {
  if (!isIsoDate(value)) issues.push(problem('notDate'));
});

const COMMON_DAY = '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)';
const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DAY = `(?:[0-9]{4}-(?:${COMMON_DAY}|02-(?:0[1-9]|1[0-9]|2[0-8]))|${LEAP_YEAR}-02-29)`;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
/** The same rule as `isIsoDate` in one expression, for JSON Schema: a `format` is not exact. */
const CALENDAR_DATE = `^${DAY}(?:[Tt]${TIME}:[0-5][0-9](?:\\.[0-9]+)?(?:[Zz]|[-+]${TIME}))?$`;

const TODAY = 'today';

/** The bounds of what a person can type: years of four digits, so that 85 is none. */
export const FIRST_TYPED = '1000-01-01';
export const LAST_TYPED = '9999-12-31';

const Bound = z
  .string()
  .refine((text) => text === TODAY || isDay(text), code('notDayBound'))
  .meta({ description: 'A date from the year 1 on, or `today`', example: '1900-01-01' });

type Bounds = { earliest?: string | undefined; latest?: string | undefined };

/** The day of a bound now. `today` is none where no moment is known. */
const boundNow = (bound: string | undefined): string | undefined => (bound === TODAY ? today() : bound);

/** A bound that is the same on each day. */
const fixed = (bound: string | undefined): string | undefined => (bound === TODAY ? undefined : bound);

/** The texts of conditions where those of numbers do not fit. */
const CONDITION_TEXTS: Partial<Record<string, Code>> = { gt: 'isAfter', gte: 'isFrom', lt: 'isBefore', lte: 'isUntil' };

/** The last time of JavaScript. */
const MAX_TIME = 8_640_000_000_000_000;

/** A calendar-valid string `YYYY-MM-DD` or RFC 3339 date-time with its zone (spec 2.3). */
export const date = defineKind({
  name: 'date',
  options: {
    earliest: { schema: Bound.optional(), control: 'line', stricter: 'higher' },
    latest: { schema: Bound.optional(), control: 'line', stricter: 'lower' },
    indexed,
  },
  formOptions: { help, default: initialValue(z.string()), autocomplete, hidden, prefill },
  checkDefinition({ earliest, latest }, report) {
    const [first, last] = [fixed(earliest), fixed(latest)];
    if (first !== undefined && last !== undefined && first > last) report('afterLatest', 'earliest');
  },
  schema({ earliest, latest }) {
    if (earliest === undefined && latest === undefined) return Value;
    return Value.check(({ value, issues }) => {
      const day = dayOf(value);
      const [min = day, max = day] = [boundNow(earliest), boundNow(latest)];
      if (day < min) issues.push(problem('tooEarly', { min }));
      else if (day > max) issues.push(problem('tooLate', { max }));
    });
  },
  describe: (bounds) => ({ pattern: CALENDAR_DATE, $comment: boundsInWords(bounds) }),
  indexValue(value) {
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    return instant === undefined ? null : new Date(instant);
  },
  staysHidden: false,
  queried: {
    name: 'date',
    operators: OF_ORDER,
    ask: (operator, texts) => askOrder(operator, texts, (text) => instantsOf(text) ?? { problem: say('notDateValue') }),
    sortValue: (value) => (typeof value === 'string' ? parseInstant(value) : undefined),
    storedAs: 'dateText',
    chart: 'dates',
    indexBound: (value) => new Date(Math.min(Math.max(Number(value), -MAX_TIME), MAX_TIME)),
  },
  conditionText: (op) => CONDITION_TEXTS[op],
  comparedText: dayInWords,
  cell: 'date',
  // A date-time is a time to people, and a date stays as it is.
  inWords(value, { dateTime }) {
    if (typeof value !== 'string' || !isIsoDate(value)) return undefined;
    return dayOf(value) === value ? value : dateTime(new Date(Number(parseInstant(value))));
  },
  repliedTo: 'everyone',
  fromTexts(texts, { earliest }, context) {
    const converted = lastTrimmed(texts, (text) => convertDate(text, context));
    if (!converted || 'problem' in converted) return converted;
    const isTooEarly = context.isTyped && earliest === undefined && converted.value < FIRST_TYPED;
    return isTooEarly ? { problem: say('tooEarly', { min: FIRST_TYPED }) } : converted;
  },
  sample(bounds) {
    const now = dayOf(new Date().toISOString());
    const [min = now, max = now] = [fixed(bounds.earliest), fixed(bounds.latest)];
    return now < min ? min : now > max ? max : now;
  },
  valueType: () => 'text',
  control: 'date',
  // A control for dates cannot show a date-time, and one for local times does not keep its zone.
  controlOf: ({ default: initial }) => (initial !== undefined && /t/i.test(initial) ? 'text' : 'date'),
  // A form that is shown has the day of `today` in its place (`onDay`).
  attributes: ({ earliest, latest }) => ({ min: fixed(earliest) ?? FIRST_TYPED, max: fixed(latest) ?? LAST_TYPED }),
  onDay(day, definition) {
    const { earliest, latest } = definition;
    if (earliest !== TODAY && latest !== TODAY) return definition;
    const on = (bound: string | undefined): string | undefined => (bound === TODAY ? day : bound);
    return { ...definition, earliest: on(earliest), latest: on(latest) };
  },
});

/** A date-time keeps its form, which has its zone. */
function dayInWords(text: string, tag: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const language = tag === '' || tag === 'en' ? 'en-GB' : tag;
  return formatDay(new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }), new Date(text));
}

function convertDate(text: string, { toInstant }: TextContext): { value: string } | { problem: Reason } {
  if (isIsoDate(text)) return { value: text };
  const seconds = LOCAL_DATE_TIME.exec(text)?.[1];
  const local = seconds === undefined ? `${text}:00` : text;
  if (!LOCAL_DATE_TIME.test(text) || !isIsoDate(`${local}Z`)) return { problem: say('notDate') };
  if (!toInstant) return { problem: say('noTimeZone') };
  const value = toInstant(local);
  // The instant can be outside of the years 0000 to 9999.
  return isIsoDate(value) ? { value } : { problem: say('notDate') };
}

function boundsInWords({ earliest, latest }: Bounds): string | undefined {
  const words = [earliest && `Not before ${earliest}`, latest && `Not after ${latest}`].filter(Boolean);
  return words.length > 0 ? words.join('. ') : undefined;
}
