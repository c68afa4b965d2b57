import { z } from 'zod';
import { code, problem } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { autocomplete, help, hidden, initialValue, prefill } from '../base/form-options.ts';
import { indexed } from '../base/index-value.ts';
import { isIsoDate, parseInstant } from '../base/iso-date.ts';
import { defineKind } from '../base/kind.ts';

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

/** A calendar-valid string `YYYY-MM-DD` or RFC 3339 date-time with its zone (spec 2.3). */
export const date = defineKind({
  name: 'date',
  options: { indexed },
  formOptions: { help, default: initialValue(z.string()), autocomplete, hidden, prefill },
  schema: () => Value,
  describe: () => ({ pattern: CALENDAR_DATE }),
  indexValue(value) {
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    return instant === undefined ? null : new Date(instant);
  },
  trimsText: true,
  fromText(text, { toInstant }) {
    if (isIsoDate(text)) return { value: text };
    const seconds = LOCAL_DATE_TIME.exec(text)?.[1];
    const local = seconds === undefined ? `${text}:00` : text;
    if (!LOCAL_DATE_TIME.test(text) || !isIsoDate(`${local}Z`)) return { problem: say('notDate') };
    if (!toInstant) return { problem: say('noTimeZone') };
    const value = toInstant(local);
    // The instant can be outside of the years 0000 to 9999.
    return isIsoDate(value) ? { value } : { problem: say('notDate') };
  },
  sample: () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
  valueType: () => 'text',
  control: 'date',
  // A control for dates cannot show a date-time, and one for local times does not keep its zone.
  controlOf: ({ default: initial }) => (initial !== undefined && /t/i.test(initial) ? 'text' : 'date'),
});
