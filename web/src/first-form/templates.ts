import type { Request } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

type SchemaInput = NonNullable<Request<'PUT /auth/apps/:sourceAppId/schema'>['body']>;
type SettingsInput = NonNullable<Request<'PUT /auth/apps/:sourceAppId/form'>['body']>;
type FieldInput = SchemaInput['fields'][number];

/** A form to begin with. Everything can be changed afterwards. */
export interface Template {
  /** Also the proposed app ID. */
  id: string;
  name: string;
  purpose: string;
  schema: SchemaInput;
  settings: Pick<SettingsInput, 'title' | 'submitLabel' | 'thanks'>;
}

const NAME = { key: 'name', label: t.firstForm.fullName, kind: 'text', maxLength: 200, autocomplete: 'name' } as const;

const LONG_TEXT = { kind: 'text', ui: 'textarea', maxLength: 5_000 } as const;

const withFields = (...fields: FieldInput[]): SchemaInput => ({ rejectUnknown: false, fields });

const settingsOf = ({ title, submit, thanks }: { title: string; submit: string; thanks: string }) => ({
  title,
  submitLabel: submit,
  thanks,
});

const texts = t.firstForm.templates;

export const TEMPLATES: readonly Template[] = [
  {
    id: 'newsletter',
    name: texts.newsletter.name,
    purpose: texts.newsletter.purpose,
    schema: withFields(NAME, {
      ...{ key: 'consent', label: texts.newsletter.consent, kind: 'checkbox' },
      ...{ required: true, consent: { version: '1' }, help: texts.newsletter.consentHelp },
    }),
    settings: settingsOf(texts.newsletter),
  },
  {
    id: 'contact',
    name: texts.contact.name,
    purpose: texts.contact.purpose,
    schema: withFields(
      { ...NAME, required: true },
      { key: 'message', label: texts.contact.message, required: true, ...LONG_TEXT },
    ),
    settings: settingsOf(texts.contact),
  },
  {
    id: 'waiting-list',
    name: texts.waitingList.name,
    purpose: texts.waitingList.purpose,
    schema: withFields(
      NAME,
      { key: 'useCase', label: texts.waitingList.useCase, ...LONG_TEXT },
      {
        key: 'campaign',
        label: texts.waitingList.campaign,
        kind: 'text',
        maxLength: 200,
        hidden: true,
        source: 'utm_campaign',
      },
    ),
    settings: settingsOf(texts.waitingList),
  },
  {
    id: 'event',
    name: texts.event.name,
    purpose: texts.event.purpose,
    schema: withFields(
      { ...NAME, required: true },
      {
        ...{ key: 'attendance', label: texts.event.attendance, kind: 'select', required: true, ui: 'radio' },
        ...{ enum: ['on-site', 'online'], enumLabels: { 'on-site': texts.event.onSite, online: texts.event.online } },
      },
      {
        ...{ key: 'sessions', label: texts.event.sessions, kind: 'multiselect' },
        enum: ['talks', 'workshops', 'dinner'],
        enumLabels: { talks: texts.event.talks, workshops: texts.event.workshops, dinner: texts.event.dinner },
      },
      { key: 'guests', label: texts.event.guests, kind: 'number', min: 0, max: 10, default: 0 },
      { key: 'notes', label: texts.event.notes, help: texts.event.notesHelp, ...LONG_TEXT },
    ),
    settings: settingsOf(texts.event),
  },
  {
    id: 'feedback',
    name: texts.feedback.name,
    purpose: texts.feedback.purpose,
    schema: withFields(
      {
        ...{ key: 'rating', label: texts.feedback.rating, kind: 'select', required: true, ui: 'radio' },
        enum: ['5', '4', '3', '2', '1'],
        enumLabels: {
          '5': texts.feedback.veryGood,
          '4': texts.feedback.good,
          '3': texts.feedback.fair,
          '2': texts.feedback.poor,
          '1': texts.feedback.veryPoor,
        },
      },
      { key: 'comment', label: texts.feedback.comment, ...LONG_TEXT },
    ),
    settings: settingsOf(texts.feedback),
  },
  {
    id: 'form',
    name: texts.empty.name,
    purpose: texts.empty.purpose,
    schema: withFields(),
    settings: {},
  },
];
