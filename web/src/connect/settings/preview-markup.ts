import { fieldMarkup } from '../../../../src/fields/markup/field-markup.ts';
import { formFields } from '../../../../src/fields/markup/form-field.ts';
import type { Markup } from '../../../../src/fields/markup/markup.ts';
import type { Field } from '../../api/endpoints.ts';
import { formControl } from '../../schema-editor/rules.ts';
import type { SettingsDraft } from './settings-draft.ts';

export type { Markup };

/** The elements of a form: its texts, fields and button. */
export function previewMarkup({ title, description, submitLabel }: SettingsDraft, fields: readonly Field[]): Markup[] {
  const controls = formFields(fields.map(formControl)).map(fieldMarkup);
  const button: Markup = ['button', { type: 'button' }, submitLabel || 'Send'];
  return [...texts(title, description), ['div', { class: 'form' }, ...controls, button]];
}

/** The elements of the page after a submission. */
export function thanksMarkup({ title, thanks, next }: SettingsDraft): Markup[] {
  const text = next ? `People are sent to ${next}` : thanks || 'Thank you. Your entries were sent.';
  return [...texts(title, ''), ['p', { class: 'note good' }, text]];
}

function texts(title: string, description: string): Markup[] {
  const heading: Markup = ['h2', {}, title];
  const text: Markup = ['p', { class: 'text' }, description];
  return [...(title ? [heading] : []), ...(description ? [text] : [])];
}
