import { fieldMarkup, formFields, type Markup } from '../../../../src/fields/markup.ts';
import type { ServiceText } from '../../../../src/fields/presentation.ts';
import { type Catalogue, fillText, PLAIN_NUMBERS } from '../../../../src/languages/catalogue.ts';
import type { Field } from '../../api/endpoints.ts';
import { formControl } from '../../schema-editor/rules.ts';
import { t } from '../../texts/texts.ts';
import type { SettingsDraft } from './settings-draft.ts';

export type { Markup };

export interface PreviewedForm {
  sourceAppId: string;
  fields: readonly Field[];
  /** The language of the preview. */
  tag: string;
  /** The texts of the service in it. */
  service: Catalogue;
}

/** The elements of a form: its texts, fields and button. */
export function previewMarkup(
  { title, description, submitLabel }: SettingsDraft,
  { sourceAppId, fields, tag, service }: PreviewedForm,
): Markup[] {
  const text: ServiceText = (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS);
  const described = fields.map((field) => formControl(field, tag, text));
  const controls = formFields(described, String(service.email)).map(fieldMarkup);
  const button: Markup = ['button', { type: 'button' }, submitLabel || String(service.send)];
  return [...texts(title || sourceAppId, description), ['div', { class: 'form' }, ...controls, button]];
}

/** The elements of the page after a submission. */
export function thanksMarkup(
  { title, thanks, next }: SettingsDraft,
  { sourceAppId, service }: PreviewedForm,
): Markup[] {
  const text = next ? t.connect.settings.sentTo(next) : thanks || String(service.thanks);
  return [...texts(title || sourceAppId, ''), ['p', { class: 'note good' }, text]];
}

function texts(title: string, description: string): Markup[] {
  const heading: Markup = ['h2', {}, title];
  return description ? [heading, ['p', { class: 'text' }, description]] : [heading];
}
