import { formFields } from '../../../../src/fields/markup/form-field.ts';
import type { Markup } from '../../../../src/fields/markup.ts';
import { fieldMarkup } from '../../../../src/fields/markup.ts';
import type { Field } from '../../api/endpoints.ts';
import { formControl } from '../../schema-editor/rules.ts';
import type { SettingsDraft } from './settings-draft.ts';

export type { Markup };

/** The elements of a form: its texts, fields and button. */
export function previewMarkup(
  { title, description, submitLabel }: SettingsDraft,
  { sourceAppId, fields }: { sourceAppId: string; fields: readonly Field[] },
): Markup[] {
  const controls = formFields(fields.map(formControl)).map(fieldMarkup);
  const button: Markup = ['button', { type: 'button' }, submitLabel || 'Send'];
  return [...texts(title || sourceAppId, description), ['div', { class: 'form' }, ...controls, button]];
}

/** The elements of the page after a submission. */
export function thanksMarkup({ title, thanks, next }: SettingsDraft, sourceAppId: string): Markup[] {
  const text = next ? `People are sent to ${next}` : thanks || 'Thank you. Your entries are stored.';
  return [...texts(title || sourceAppId, ''), ['p', { class: 'note good' }, text]];
}

function texts(title: string, description: string): Markup[] {
  const heading: Markup = ['h2', {}, title];
  return description ? [heading, ['p', { class: 'text' }, description]] : [heading];
}
