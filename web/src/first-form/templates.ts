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

/** The texts of a template. */
interface Texts {
  name: string;
  purpose: string;
  title: string;
  submit: string;
  thanks: string;
}

/** @param id also the proposed app ID */
const template = (id: string, { name, purpose, title, submit, thanks }: Texts, fields: FieldInput[]): Template => ({
  id,
  name,
  purpose,
  schema: { rejectUnknown: false, fields },
  settings: { title, submitLabel: submit, thanks },
});

const texts = t.firstForm.templates;

/** What the team has done about a message. */
const STATUS = {
  key: 'status',
  label: texts.contact.status,
  kind: 'select',
  enum: ['new', 'in progress', 'done'],
  enumLabels: { new: texts.contact.new, 'in progress': texts.contact.inProgress, done: texts.contact.done },
  default: 'new',
  writers: 'staff',
} satisfies FieldInput;

export const TEMPLATES: readonly Template[] = [
  template('newsletter', texts.newsletter, [
    NAME,
    {
      key: 'consent',
      label: texts.newsletter.consent,
      kind: 'checkbox',
      required: true,
      consent: { version: '1' },
      help: texts.newsletter.consentHelp,
    },
  ]),
  template('contact', texts.contact, [
    { ...NAME, required: true },
    { key: 'message', label: texts.contact.message, required: true, ...LONG_TEXT },
    STATUS,
  ]),
  template('waiting-list', texts.waitingList, [
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
  ]),
  template('event', texts.event, [
    { ...NAME, required: true },
    {
      key: 'attendance',
      label: texts.event.attendance,
      kind: 'select',
      required: true,
      ui: 'radio',
      enum: ['on-site', 'online'],
      enumLabels: { 'on-site': texts.event.onSite, online: texts.event.online },
    },
    {
      key: 'sessions',
      label: texts.event.sessions,
      kind: 'multiselect',
      enum: ['talks', 'workshops', 'dinner'],
      enumLabels: { talks: texts.event.talks, workshops: texts.event.workshops, dinner: texts.event.dinner },
    },
    { key: 'guests', label: texts.event.guests, kind: 'number', min: 0, max: 10, default: 0 },
    { key: 'notes', label: texts.event.notes, help: texts.event.notesHelp, ...LONG_TEXT },
  ]),
  template('feedback', texts.feedback, [
    {
      key: 'rating',
      label: texts.feedback.rating,
      kind: 'select',
      required: true,
      ui: 'radio',
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
    STATUS,
  ]),
  {
    id: 'form',
    name: texts.empty.name,
    purpose: texts.empty.purpose,
    schema: { rejectUnknown: false, fields: [] },
    settings: {},
  },
];
