import type { PresetName } from '#src/features/display/presets.ts';
import type { Request } from '../api/endpoints.ts';
import * as de from '../texts/de/templates.ts';
import * as en from '../texts/en/templates.ts';
import { language } from '../texts/language.ts';

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
  settings: Pick<SettingsInput, 'title' | 'description' | 'submitLabel' | 'thanks' | 'pages' | 'theme' | 'existing'>;
}

// Not a part of `t`, which each page loads.
const texts: Pick<typeof de, 'purposes' | 'shared' | 'templates'> = { en, de }[language];

/** A field without its texts, which have the language of the reader. */
type Outline = FieldInput extends infer Field ? (Field extends unknown ? Omit<Field, 'label'> : never) : never;

const NAME = { key: 'name', kind: 'text', maxLength: 200, autocomplete: 'name' } as const satisfies Outline;
const PHONE = { key: 'phone', kind: 'text', ui: 'tel', maxLength: 50, autocomplete: 'tel' } as const satisfies Outline;
const COMPANY = {
  key: 'company',
  kind: 'text',
  maxLength: 200,
  autocomplete: 'organization',
} as const satisfies Outline;
const ADDRESS = {
  key: 'address',
  kind: 'text',
  ui: 'textarea',
  maxLength: 500,
  autocomplete: 'street-address',
} as const satisfies Outline;
const LONG_TEXT = { kind: 'text', ui: 'textarea', maxLength: 5_000 } as const;
const RADIO = { kind: 'select', ui: 'radio' } as const;
const STARS = { kind: 'number', ui: 'stars', min: 1, max: 5 } as const;
const SCALE = { kind: 'number', ui: 'scale', min: 1, max: 5 } as const;
const FROM_TODAY = { kind: 'date', earliest: 'today' } as const;
const PICTURES = { key: 'files', kind: 'file', types: ['png', 'jpeg', 'webp'], maxFiles: 5 } as const satisfies Outline;
const CONSENT = { key: 'consent', kind: 'checkbox', consent: { version: '1' } } as const satisfies Outline;
const CAMPAIGN = {
  key: 'campaign',
  kind: 'text',
  maxLength: 200,
  hidden: true,
  source: 'utm_campaign',
} as const satisfies Outline;

/** What the team has done about a message. A new one of the same person is new again. */
const STATUS = {
  key: 'status',
  kind: 'select',
  enum: ['new', 'in progress', 'done'],
  default: 'new',
  writers: 'staff',
  resetOnSubmit: true,
} as const satisfies Outline;

const REQUIRED = { required: true } as const;

interface Looks {
  preset?: PresetName;
  /** For messages: whoever knows an address overwrites nothing with it. */
  existing?: 'keep';
}

/** @param id also the proposed app ID @param outlines with `enum` where the texts have choices */
function template(id: en.TemplateId, outlines: readonly Outline[], { preset, existing }: Looks = {}): Template {
  const own: en.TemplateTexts = texts.templates[id];
  const { name, purpose, title, description, submit, thanks, pages } = own;
  return {
    id,
    name,
    purpose,
    schema: { rejectUnknown: false, fields: outlines.map((outline) => withTexts(outline, own)) },
    settings: {
      ...(title && { title, submitLabel: submit, thanks }),
      ...(description !== undefined && { description }),
      ...(pages && { pages: pages.map((one, index) => ({ page: index + 1, title: one })) }),
      ...(preset && { theme: { preset } }),
      ...(existing && { existing }),
    },
  };
}

function withTexts(outline: Outline, { labels, helps, choices, ends }: en.TemplateTexts): FieldInput {
  const { key } = outline;
  const shared: en.TemplateTexts['labels'] = texts.shared.labels;
  const names = choices?.[key] ?? (texts.shared.choices as en.TemplateTexts['choices'])?.[key];
  const help = helps?.[key];
  const own = ends?.[key];
  return {
    ...outline,
    label: labels?.[key] ?? shared?.[key] ?? key,
    ...(help !== undefined && { help }),
    ...(names && { enumLabels: names }),
    ...(own && { ends: own }),
  } as FieldInput;
}

const keepsMessages: Looks = { existing: 'keep' };

const GROUPS: readonly [purpose: keyof typeof en.purposes, templates: readonly Template[]][] = [
  [
    'contact',
    [
      template(
        'contact',
        [{ ...NAME, ...REQUIRED }, { key: 'message', ...REQUIRED, ...LONG_TEXT }, STATUS],
        keepsMessages,
      ),
      template(
        'support',
        [
          NAME,
          { key: 'topic', ...RADIO, ...REQUIRED, enum: ['account', 'billing', 'technical', 'other'] },
          { key: 'urgency', ...RADIO, enum: ['low', 'normal', 'high'], default: 'normal' },
          { key: 'message', ...REQUIRED, ...LONG_TEXT },
          PICTURES,
          STATUS,
        ],
        { ...keepsMessages, preset: 'ocean' },
      ),
      template(
        'callback',
        [
          { ...NAME, ...REQUIRED },
          { ...PHONE, ...REQUIRED },
          { key: 'date', ...FROM_TODAY },
          { key: 'time', kind: 'text', ui: 'time' },
          { key: 'message', ...LONG_TEXT },
          STATUS,
        ],
        keepsMessages,
      ),
      template(
        'bug-report',
        [
          { key: 'message', ...REQUIRED, ...LONG_TEXT },
          { key: 'steps', ...LONG_TEXT },
          { key: 'where', kind: 'text', ui: 'url', maxLength: 2_000 },
          { key: 'severity', ...SCALE },
          PICTURES,
          STATUS,
        ],
        { ...keepsMessages, preset: 'terminal' },
      ),
      template(
        'returns',
        [
          { ...NAME, ...REQUIRED },
          { key: 'order', kind: 'text', maxLength: 50, ...REQUIRED },
          { key: 'reason', ...RADIO, ...REQUIRED, enum: ['damaged', 'wrong', 'size', 'other'] },
          {
            ...PICTURES,
            showIf: { all: [{ field: 'reason', op: 'eq', value: 'damaged' }] },
          },
          { key: 'wish', ...RADIO, ...REQUIRED, enum: ['money', 'exchange', 'repair'] },
          STATUS,
        ],
        keepsMessages,
      ),
    ],
  ],
  [
    'lists',
    [
      template('newsletter', [NAME, { ...CONSENT, ...REQUIRED }]),
      template('waiting-list', [NAME, { key: 'useCase', ...LONG_TEXT }, CAMPAIGN], { preset: 'midnight' }),
      template('beta-test', [
        { ...NAME, ...REQUIRED },
        {
          key: 'devices',
          kind: 'multiselect',
          ...REQUIRED,
          enum: ['iphone', 'android', 'windows', 'mac', 'linux'],
        },
        { key: 'experience', ...SCALE },
        { key: 'reason', ...LONG_TEXT },
        { key: 'secret', kind: 'checkbox', ...REQUIRED, consent: { version: '1' } },
      ]),
      template(
        'download',
        [
          { ...NAME, ...REQUIRED },
          COMPANY,
          { key: 'role', kind: 'select', enum: ['management', 'technology', 'marketing', 'other'] },
          CONSENT,
          CAMPAIGN,
        ],
        { preset: 'plain' },
      ),
      template(
        'volunteers',
        [
          { ...NAME, ...REQUIRED },
          PHONE,
          { key: 'tasks', kind: 'multiselect', ...REQUIRED, enum: ['setup', 'guests', 'kitchen', 'driving'] },
          { key: 'days', kind: 'multiselect', enum: ['weekdays', 'evenings', 'weekends'] },
          { ...CONSENT, ...REQUIRED },
        ],
        { preset: 'meadow' },
      ),
    ],
  ],
  [
    'events',
    [
      template('event', [
        { ...NAME, ...REQUIRED },
        { key: 'attendance', ...RADIO, ...REQUIRED, enum: ['on-site', 'online'] },
        { key: 'sessions', kind: 'multiselect', enum: ['talks', 'workshops', 'dinner'] },
        { key: 'guests', kind: 'number', min: 0, max: 10, default: 0 },
        { key: 'notes', ...LONG_TEXT },
      ]),
      template(
        'webinar',
        [{ ...NAME, ...REQUIRED }, COMPANY, { key: 'question', ...LONG_TEXT }, { ...CONSENT, ...REQUIRED }],
        { preset: 'ocean' },
      ),
      template(
        'invitation',
        [
          { ...NAME, ...REQUIRED },
          { key: 'coming', ...RADIO, ...REQUIRED, enum: ['yes', 'no'] },
          {
            key: 'guests',
            kind: 'number',
            min: 1,
            max: 10,
            default: 1,
            showIf: { all: [{ field: 'coming', op: 'eq', value: 'yes' }] },
          },
          {
            key: 'food',
            ...RADIO,
            enum: ['all', 'vegetarian', 'vegan'],
            showIf: { all: [{ field: 'coming', op: 'eq', value: 'yes' }] },
          },
          { key: 'message', ...LONG_TEXT },
        ],
        { preset: 'blossom' },
      ),
      template('course', [
        { ...NAME, ...REQUIRED },
        PHONE,
        { key: 'course', ...RADIO, ...REQUIRED, enum: ['monday', 'wednesday', 'weekend'] },
        { key: 'level', ...SCALE },
        { ...ADDRESS, ...REQUIRED },
        { key: 'terms', kind: 'checkbox', ...REQUIRED, consent: { version: '1' } },
      ]),
      template(
        'course-feedback',
        [
          { key: 'content', ...STARS, ...REQUIRED },
          { key: 'teaching', ...STARS, ...REQUIRED },
          { key: 'pace', ...SCALE },
          { key: 'best', ...LONG_TEXT },
          { key: 'better', ...LONG_TEXT },
        ],
        { preset: 'paper' },
      ),
    ],
  ],
  [
    'feedback',
    [
      template('feedback', [{ key: 'rating', ...STARS, ...REQUIRED }, { key: 'comment', ...LONG_TEXT }, STATUS]),
      template(
        'customer-survey',
        [
          { key: 'likely', ...SCALE, ...REQUIRED, min: 0, max: 10 },
          { key: 'better', ...LONG_TEXT, showIf: { all: [{ field: 'likely', op: 'lte', value: 6 }] } },
          { key: 'best', ...LONG_TEXT, showIf: { all: [{ field: 'likely', op: 'gte', value: 7 }] } },
          CONSENT,
        ],
        { preset: 'poster' },
      ),
      template(
        'team-survey',
        [
          { key: 'mood', ...STARS, ...REQUIRED },
          { key: 'workload', ...SCALE, ...REQUIRED },
          { key: 'support', ...SCALE, ...REQUIRED },
          { key: 'growth', ...SCALE },
          { key: 'good', ...LONG_TEXT, page: 2 },
          { key: 'change', ...LONG_TEXT, page: 2 },
        ],
        { preset: 'meadow' },
      ),
    ],
  ],
  [
    'business',
    [
      template(
        'job-application',
        [
          { ...NAME, ...REQUIRED },
          PHONE,
          { key: 'position', kind: 'select', ...REQUIRED, enum: ['design', 'development', 'sales', 'open'] },
          { key: 'cv', kind: 'file', ...REQUIRED, types: ['pdf'], maxFiles: 3, page: 2 },
          { key: 'letter', ...LONG_TEXT, page: 2 },
          { key: 'link', kind: 'text', ui: 'url', maxLength: 2_000, page: 2 },
          { key: 'start', ...FROM_TODAY, page: 2 },
          { key: 'source', kind: 'select', enum: ['website', 'board', 'friend', 'other'], page: 2 },
          { ...CONSENT, page: 2 },
        ],
        { preset: 'plain' },
      ),
      template('quote', [
        { ...NAME, ...REQUIRED },
        COMPANY,
        { key: 'services', kind: 'multiselect', ...REQUIRED, enum: ['advice', 'design', 'development', 'care'] },
        { key: 'project', ...REQUIRED, ...LONG_TEXT },
        { key: 'budget', ...RADIO, enum: ['small', 'medium', 'large', 'open'] },
        { key: 'deadline', ...FROM_TODAY },
        { key: 'files', kind: 'file', types: ['pdf', 'png', 'jpeg'], maxFiles: 5 },
        STATUS,
      ]),
      template(
        'appointment',
        [
          { ...NAME, ...REQUIRED },
          { ...PHONE, ...REQUIRED },
          { key: 'service', ...RADIO, ...REQUIRED, enum: ['consultation', 'treatment', 'checkup'] },
          { key: 'date', ...FROM_TODAY, ...REQUIRED },
          { key: 'time', kind: 'text', ui: 'time', ...REQUIRED },
          { key: 'first', ...RADIO, enum: ['yes', 'no'] },
          { key: 'notes', ...LONG_TEXT },
          STATUS,
        ],
        { preset: 'ocean' },
      ),
      template(
        'table',
        [
          { ...NAME, ...REQUIRED },
          PHONE,
          { key: 'date', ...FROM_TODAY, ...REQUIRED },
          { key: 'time', kind: 'text', ui: 'time', ...REQUIRED, default: '19:00' },
          { key: 'guests', ...SCALE, ...REQUIRED, max: 10, default: 2 },
          { key: 'notes', ...LONG_TEXT },
          STATUS,
        ],
        { preset: 'paper' },
      ),
      template(
        'order',
        [
          { key: 'product', ...RADIO, ...REQUIRED, enum: ['box', 'basket', 'voucher'] },
          { key: 'size', ...RADIO, ...REQUIRED, enum: ['small', 'medium', 'large'] },
          { key: 'count', kind: 'number', ...REQUIRED, min: 1, max: 100, default: 1 },
          { ...NAME, ...REQUIRED, page: 2 },
          { key: 'delivery', ...RADIO, ...REQUIRED, enum: ['pickup', 'delivery'], page: 2 },
          {
            ...ADDRESS,
            ...REQUIRED,
            page: 2,
            showIf: { all: [{ field: 'delivery', op: 'eq', value: 'delivery' }] },
          },
          { key: 'payment', ...RADIO, ...REQUIRED, enum: ['invoice', 'transfer'], page: 2 },
          { key: 'terms', kind: 'checkbox', ...REQUIRED, consent: { version: '1' }, page: 2 },
          STATUS,
        ],
        { preset: 'poster' },
      ),
      template('membership', [
        { ...NAME, ...REQUIRED },
        { key: 'born', kind: 'date', ...REQUIRED, latest: 'today', autocomplete: 'bday' },
        { ...ADDRESS, ...REQUIRED },
        PHONE,
        { key: 'kind', ...RADIO, ...REQUIRED, enum: ['single', 'family', 'reduced', 'supporting'], page: 2 },
        { key: 'terms', kind: 'checkbox', ...REQUIRED, consent: { version: '1' }, page: 2 },
        { ...CONSENT, ...REQUIRED, page: 2 },
        { key: 'photos', kind: 'checkbox', consent: { version: '1' }, page: 2 },
      ]),
    ],
  ],
  ['other', [template('form', [])]],
];

/** The templates by what they are for. */
export const TEMPLATE_GROUPS = GROUPS.map(([purpose, templates]) => ({ title: texts.purposes[purpose], templates }));

export const TEMPLATES: readonly Template[] = TEMPLATE_GROUPS.flatMap(({ templates }) => templates);
