import type { Field, KeptSubmission } from '../api/endpoints.ts';
import { dateTime } from '../components/content/time.tsx';
import { countOf, fieldName } from '../components/form/labels.ts';
import { t } from '../texts/texts.ts';

/** Programs for email take addresses of some 2,000 characters. */
const MAX_QUOTE = 1_200;

/**
 * Returns an address that opens the reader's program for email, with the sender, a subject and the
 * values of the message as a quote. Nothing in the message can add a recipient or a header.
 */
export function replyAddress({ email, at, data }: KeptSubmission, fields: readonly Field[], title: string): string {
  const values = fields.flatMap((field) => {
    const value = Object.hasOwn(data, field.key) ? countOf(field, data[field.key]) : undefined;
    return typeof value === 'string' || typeof value === 'number' ? [`${fieldName(field)}: ${value}`] : [];
  });
  const quote = shortened(values.join('\n'))
    .split('\n')
    .map((line) => `> ${line}`);
  const body = ['', '', t.inbox.wrote(email, dateTime.format(new Date(at))), ...quote].join('\r\n');
  const to = encodeURIComponent(email).replace('%40', '@');
  return `mailto:${to}?subject=${encodeURIComponent(t.inbox.subject(title))}&body=${encodeURIComponent(body)}`;
}

/** Not within a character of two code units. */
function shortened(text: string): string {
  return text.length <= MAX_QUOTE ? text : `${text.slice(0, MAX_QUOTE).replace(/[\ud800-\udbff]$/, '')}…`;
}
