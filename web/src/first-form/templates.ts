import type { Request } from '../api/endpoints.ts';

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

const NAME = { key: 'name', label: 'Name', kind: 'text', maxLength: 200, autocomplete: 'name' } as const;

const LONG_TEXT = { kind: 'text', ui: 'textarea', maxLength: 5_000 } as const;

const withFields = (...fields: FieldInput[]): SchemaInput => ({ rejectUnknown: false, fields });

export const TEMPLATES: readonly Template[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    purpose: 'Name, and a consent whose history is kept.',
    schema: withFields(NAME, {
      ...{ key: 'consent', label: 'I want to receive the newsletter by email', kind: 'checkbox' },
      ...{ required: true, consent: { version: '1' }, help: 'You can unsubscribe at any time.' },
    }),
    settings: { title: 'Newsletter', submitLabel: 'Subscribe', thanks: 'Thank you. You are on the list.' },
  },
  {
    id: 'contact',
    name: 'Contact',
    purpose: 'Name and message. A later message from the same email replaces the earlier one.',
    schema: withFields({ ...NAME, required: true }, { key: 'message', label: 'Message', required: true, ...LONG_TEXT }),
    settings: { title: 'Contact us', submitLabel: 'Send message', thanks: 'Thank you. We will reply by email.' },
  },
  {
    id: 'waiting-list',
    name: 'Waiting list',
    purpose: 'Name, what people want to do with it, and the campaign that led them here.',
    schema: withFields(
      NAME,
      { key: 'useCase', label: 'What would you like to use it for?', ...LONG_TEXT },
      { key: 'campaign', label: 'Campaign', kind: 'text', maxLength: 200, hidden: true, source: 'utm_campaign' },
    ),
    settings: {
      title: 'Join the waiting list',
      submitLabel: 'Join',
      thanks: 'Thank you. You are on the waiting list.',
    },
  },
  {
    id: 'event',
    name: 'Event',
    purpose: 'Name, how people take part, the sessions they choose, number of guests, and notes.',
    schema: withFields(
      { ...NAME, required: true },
      {
        ...{ key: 'attendance', label: 'How will you take part?', kind: 'select', required: true, ui: 'radio' },
        ...{ enum: ['on-site', 'online'], enumLabels: { 'on-site': 'On site', online: 'Online' } },
      },
      {
        ...{ key: 'sessions', label: 'Which sessions interest you?', kind: 'multiselect' },
        enum: ['talks', 'workshops', 'dinner'],
        enumLabels: { talks: 'Talks', workshops: 'Workshops', dinner: 'Dinner' },
      },
      { key: 'guests', label: 'Guests who come with you', kind: 'number', min: 0, max: 10, default: 0 },
      { key: 'notes', label: 'Notes', help: 'For example what you cannot eat', ...LONG_TEXT },
    ),
    settings: { title: 'Registration', submitLabel: 'Register', thanks: 'Thank you. You are registered.' },
  },
  {
    id: 'feedback',
    name: 'Feedback',
    purpose: 'A rating and a comment. A later answer from the same email replaces the earlier one.',
    schema: withFields(
      {
        ...{ key: 'rating', label: 'How do you like it?', kind: 'select', required: true, ui: 'radio' },
        enum: ['5', '4', '3', '2', '1'],
        enumLabels: { '5': 'Very good', '4': 'Good', '3': 'Fair', '2': 'Poor', '1': 'Very poor' },
      },
      { key: 'comment', label: 'What should we improve?', ...LONG_TEXT },
    ),
    settings: { title: 'Your feedback', submitLabel: 'Send feedback', thanks: 'Thank you for your feedback.' },
  },
  {
    id: 'form',
    name: 'Empty',
    purpose: 'Only the email. You define the fields yourself.',
    schema: withFields(),
    settings: {},
  },
];
