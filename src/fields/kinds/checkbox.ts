import { z } from 'zod';
import { help, hidden, initialValue, prefill } from '../form-options.ts';
import { indexed } from '../index-value.ts';
import { defineKind } from '../kind.ts';

const NOT_BOOLEAN = 'must be true or false';

const Consent = z.strictObject({
  version: z.string().min(1).max(50),
  url: z.string().max(2000).refine(isPublicUrl, 'must be an https URL, or an http URL on localhost').optional(),
});

const TEXTS: ReadonlyMap<string, boolean> = new Map([
  ...['on', 'true', '1', 'yes'].map((text) => [text, true] as const),
  ...['off', 'false', '0', 'no'].map((text) => [text, false] as const),
]);

/** A boolean. A required one must be `true`, as for terms that a person has to accept. */
export const checkbox = defineKind({
  name: 'checkbox',
  displayName: 'Checkbox',
  options: { indexed },
  formOptions: {
    help,
    default: initialValue(z.boolean()),
    consent: {
      schema: Consent.optional(),
      label: 'Consent',
      help: 'The version of the text that a person agrees to, and the page that shows it',
      control: 'consent',
    },
    hidden,
    prefill,
  },
  compile:
    ({ required }) =>
    (value, report) => {
      if (typeof value !== 'boolean') return report(NOT_BOOLEAN);
      if (required && !value) report('must be true');
    },
  indexValue: (value) => (typeof value === 'boolean' ? value : null),
  trimsText: true,
  fromText(text) {
    const value = TEXTS.get(text.toLowerCase());
    return value === undefined ? { problem: NOT_BOOLEAN } : { value };
  },
  sample: () => true,
  control: 'checkbox',
});

function isPublicUrl(text: string): boolean {
  // The parser would remove white space and control characters; the text is stored as it was sent.
  if (!/^https?:\/\/[^\s\p{Cc}]+$/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
