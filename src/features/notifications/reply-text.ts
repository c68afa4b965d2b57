import { type FieldDefinition, isOfStaff } from '../../core/fields/definition.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import { cut, oneLine } from '../../platform/mail/content.ts';
import { PLACEHOLDER } from '../../platform/text/text.ts';
import { choiceLabels, formControl } from '../display/presentation.ts';

const MAX_VALUE = 500;
const MAX_FILLED = 20_000;

/** The local parts of addresses that hold no words of the sender beside the name of the mailbox. */
const PLAIN_LOCAL_PART = /^[a-z0-9._-]+@/;

/**
 * Returns the text of a reply as paragraphs (spec 4.12). A line with a placeholder that has no
 * value is left out. Values are not searched for placeholders.
 *
 * @param readValue returns the value of a placeholder as text, or undefined
 */
export function fillReply(text: string, readValue: (name: string) => string | undefined): string[] {
  // A text may have 1,000 placeholders, and a value 100,000 characters.
  const values = new Map<string, string>();
  const filledValue = (name: string): string => {
    const value = values.get(name) ?? oneLine(readValue(name) ?? '', MAX_VALUE);
    values.set(name, value);
    return value;
  };
  const lines = text.split(/\r\n|\r|\n/).flatMap((line) => {
    let isWhole = true;
    const filled = line.replace(PLACEHOLDER, (_, name: string) => {
      const value = filledValue(name);
      isWhole &&= value !== '';
      return value;
    });
    return isWhole ? [filled] : [];
  });
  return cut(lines.join('\n').trim(), MAX_FILLED).split(/\n{2,}/);
}

/** What a reply may say to the address of a record. */
interface Addressee {
  email: string;
  /** Whether the address confirmed itself: then it receives texts that anybody could have sent. */
  isConfirmed: boolean;
  /** The language of the email. */
  tag: string;
  /** Returns an instant in that language. */
  dateTime(at: Date): string;
}

/** Returns the address, unless its sender could have put words into it, as after a plus sign. */
export function addressText({ email, isConfirmed }: Addressee): string | undefined {
  return isConfirmed || PLAIN_LOCAL_PART.test(email) ? email : undefined;
}

/**
 * Returns a value as text, undefined if the address may not read it. The kind is the present one of
 * the field, and the value may be older, so its type decides too.
 */
export function replyValue(field: FieldDefinition, value: unknown, to: Addressee): string | undefined {
  if (isOfStaff(field)) return undefined;
  const { inWords, repliedTo } = getKind(field.kind);
  if (repliedTo === 'nobody' || (repliedTo === 'confirmed' && !to.isConfirmed)) return undefined;
  const labels = choiceLabels(formControl(field, to.tag));
  return inWords(value, {
    boolean: (one) => (one ? '✓' : '✗'),
    dateTime: to.dateTime,
    name: (one) => namesOf(Array.isArray(one) ? one : [one], labels),
    items: (items) => items.map(itemText).join(', '),
  });
}

/** Returns the names of values; undefined when one is no choice of the field. */
function namesOf(values: readonly unknown[], labels: ReadonlyMap<unknown, string>): string | undefined {
  const names = values.map((value) => labels.get(value));
  return names.includes(undefined) ? undefined : names.join(', ');
}

/** Returns the values of an item without the time of its submission. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { timestamp: _, ...values } = item as Record<string, unknown>;
  return Object.values(values)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
    .join(' ');
}
