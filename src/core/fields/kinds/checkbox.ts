import { z } from 'zod';
import { parseRedirectUrl } from '../../../platform/core/web-origin.ts';
import { code, problem } from '../../../platform/languages/problems.ts';
import { say } from '../../../platform/languages/reasons.ts';
import { type Interval, only } from '../../../platform/text/comparison.ts';
import { BOOLEAN_TEXTS, lastTrimmed } from '../../../platform/text/plain-texts.ts';
import { help, hidden, initialValue, prefill } from '../base/form-options.ts';
import { defineKind, indexed } from '../base/kind.ts';
import { askOrder, type Refused } from '../base/queries.ts';

const Consent = z.strictObject({
  version: z.string().min(1).max(50),
  url: z
    .string()
    .refine((url) => parseRedirectUrl(url), code('notWebUrl'))
    .optional(),
});

const Value = z.boolean(code('notBoolean'));

/** A boolean. A required one must be `true`, as for terms that a person has to accept. */
export const checkbox = defineKind({
  name: 'checkbox',
  options: { indexed },
  formOptions: {
    help,
    default: initialValue(z.boolean()),
    consent: {
      schema: Consent.optional(),
      control: 'consent',
    },
    hidden,
    prefill,
  },
  schema: ({ required }) =>
    Value.check(({ value, issues }) => {
      if (required && !value) issues.push(problem('mustBeTrue'));
    }),
  describe: ({ required, consent }) => ({
    const: required || undefined,
    $comment: consent && `true is the consent to version ${consent.version}`,
  }),
  indexValue: (value) => (typeof value === 'boolean' ? value : null),
  staysHidden: false,
  queried: {
    name: 'checkbox',
    operators: ['eq', 'ne', 'exists', 'empty'],
    ask: (operator, texts) => askOrder(operator, texts, readBoolean),
    sortValue: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
    chart: 'booleans',
    indexBound: (value) => Number(value) > 0,
  },
  conditionText: (op, value) => ((value === true) === (op === 'eq') ? 'isTicked' : 'isNotTicked'),
  cell: 'boolean',
  inWords: (value, { boolean }) => (typeof value === 'boolean' ? boolean(value) : undefined),
  repliedTo: 'everyone',
  fromTexts: (texts) =>
    lastTrimmed(texts, (text) => {
      const value = BOOLEAN_TEXTS.get(text.toLowerCase());
      return value === undefined ? { problem: say('notBoolean') } : { value };
    }),
  sample: () => true,
  valueType: ({ required }) => (required ? 'agreed' : 'boolean'),
  control: 'checkbox',
});

const readBoolean = (text: string): Interval | Refused =>
  text === 'true' || text === 'false' ? only(text === 'true') : { problem: say('notBooleanValue') };
