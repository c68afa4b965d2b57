import type { NewField } from './draft.ts';
import { paletteTexts } from './field-texts.ts';

type PaletteName = keyof typeof paletteTexts.names;
type Options = Pick<NewField, 'kind'> & Partial<Record<string, unknown>>;

// Fields as people call them. Each is a kind with options, so nothing else is stored.

const FORM: readonly (readonly [PaletteName, Options])[] = [
  ['shortText', { kind: 'text' }],
  ['longText', { kind: 'text', ui: 'textarea' }],
  ['email', { kind: 'text', ui: 'email' }],
  ['phone', { kind: 'text', ui: 'tel', autocomplete: 'tel' }],
  ['url', { kind: 'text', ui: 'url' }],
  ['number', { kind: 'number' }],
  ['choice', { kind: 'select', ui: 'radio' }],
  ['dropDown', { kind: 'select' }],
  ['choices', { kind: 'multiselect' }],
  ['yesNo', { kind: 'checkbox' }],
  ['stars', { kind: 'number', ui: 'stars', min: 1, max: 5 }],
  ['scale', { kind: 'number', ui: 'scale', min: 0, max: 10 }],
  ['date', { kind: 'date' }],
  ['time', { kind: 'text', ui: 'time' }],
  ['files', { kind: 'file' }],
  ['consent', { kind: 'checkbox', required: true, consent: { version: '1' } }],
  ['list', { kind: 'array' }],
];

const TEAM: readonly (readonly [PaletteName, Options])[] = [
  ['teamNote', { kind: 'text', ui: 'textarea', writers: 'staff' }],
  ['teamStatus', { kind: 'select', writers: 'staff' }],
  ['teamDate', { kind: 'date', writers: 'staff' }],
];

const named = (fields: typeof FORM): NewField[] =>
  fields.map(([name, options]) => ({ ...options, label: paletteTexts.names[name] }));

/** The fields that a form can have, in groups with their titles. */
export const PALETTE = [
  { title: paletteTexts.ofForm, fields: named(FORM) },
  { title: paletteTexts.ofTeam, fields: named(TEAM) },
] as const;
