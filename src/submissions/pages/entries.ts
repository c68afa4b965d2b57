import type { FormEntry } from '../../api/body/form-entries.ts';
import type { Issue } from '../../core/errors.ts';
import { printable } from '../../fields/kind.ts';
import type { FormField } from '../../fields/markup/form-field.ts';
import type { FormControl } from '../../fields/presentation.ts';
import type { SentForm } from './form-view.ts';

/** What a page has at one place: a field, or the entries of a key that the schema does not have. */
export type KeyOfPage = { field: FormField } | { key: string; entries: readonly FormEntry[] };

/** Returns the texts that were sent for a field; none if it was not sent. */
export function textsOf({ email, data }: SentForm, { id, control }: FormField): string[] {
  if (id === 'email') return email === undefined ? [] : [email];
  return (data.get(control.key) ?? []).map(([, text]) => text);
}

/**
 * Returns the fields and the other keys in the order in which they were sent, so that a form that
 * is sent again with the same key (after 503) has the same content. A field that was not sent
 * follows the one before it in the schema.
 */
export function inOrderOfEntries(fields: readonly FormField[], sent: SentForm | undefined): KeyOfPage[] {
  if (!sent) return fields.map((field) => ({ field }));
  const [email, ...ofSchema] = fields;
  const places = new Map<string | undefined, KeyOfPage[]>([[undefined, email ? [{ field: email }] : []]]);
  for (const [key, entries] of sent.data) places.set(key, [{ key, entries }]);
  let before: string | undefined;
  for (const field of ofSchema) {
    const { key } = field.control;
    if (sent.data.has(key)) {
      places.set(key, [{ field }]);
      before = key;
    } else places.get(before)?.push({ field });
  }
  return [...places.values()].flat();
}

/** Returns why a key that the schema does not have is refused; undefined if it is not. */
export function problemOf(key: string, issues: readonly Issue[] = []): string | undefined {
  const place = `data.${printable(key)}`;
  return issues.find(({ path }) => path === place || path.startsWith(`${place}.`))?.message;
}

/** What browsers take for an email address. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(?:\.[a-z\d-]+)*$/i;

/**
 * Returns a control that shows what was sent and lets a person send it again: a choice that the
 * field does not have is added, and an address that browsers find wrong is in a control for texts,
 * because the service may accept it.
 */
export function controlFor(control: FormControl, texts: readonly string[]): FormControl {
  const text = texts.at(-1) ?? '';
  const { type, choices } = control;
  if (text === '') return control;
  if (choices.length > 0 && !choices.some(({ value }) => value === text)) {
    return { ...control, choices: [...choices, { value: text, label: text }] };
  }
  const isWrong = (type === 'url' && !isAddressOfPage(text)) || (type === 'email' && !ADDRESS.test(text));
  return isWrong ? { ...control, type: 'text' } : control;
}

const isAddressOfPage = (text: string): boolean => !/^\s|\s$/.test(text) && URL.canParse(text);
