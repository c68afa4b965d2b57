import type { Field, FormSettings, Schema } from '../../api/endpoints.ts';
import { keyFor } from '../../schema-editor/draft/draft.ts';
import { FIELD_KEY_PATTERN, isOfStaff } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { proposeField } from './field-proposal.ts';
import { keyIn, meaningOf, NEXT_NAMES, serviceOf } from './names.ts';
import type { ParsedControl, ParsedForm } from './parse-form.ts';

/** A field of the form, as sent and as stored. */
export interface ImportedField {
  sentAs: string;
  definition: Field;
  notes: string[];
  /** `differs`: the schema has the key with another kind. */
  state: 'new' | 'exists' | 'differs';
}

/** A name of the form that becomes no field. */
export interface NamedNote {
  name: string;
  text: string;
}

export interface FormProposal {
  service: string | undefined;
  fields: ImportedField[];
  /** Refused parts of the form, and how to change them. */
  refused: NamedNote[];
  /** Names that mean something else, and names that are ignored. */
  others: NamedNote[];
}

/** The names under which the service takes the email. */
export const EMAIL_NAMES = new Set(['email', '_replyto']);
const BUTTONS = new Set(['submit', 'button', 'reset', 'image']);

/** Compares a form with the schema and the settings of an app, and proposes changes. */
export function proposeFields(form: ParsedForm, schema: Schema, settings: FormSettings): FormProposal {
  const groups = groupsOf(form.controls.filter(({ type, name }) => name !== '' && !BUTTONS.has(type)));
  const email = emailOf(form);
  const proposal: FormProposal = {
    service: serviceOf(form.attributes),
    fields: [],
    refused: [...formProblems(form, settings.captcha !== undefined), ...emailProblem(email)],
    others: unnamed(form),
  };
  const taken = new Set<string>();
  for (const [name, controls] of groups) {
    if (name === email?.name) continue;
    addGroup(proposal, { name, controls, schema, settings, taken });
  }
  const sent = new Set(proposal.fields.map(({ definition }) => definition.key));
  proposal.refused.push(...buttonProblems(form, knownNames(proposal.fields, schema)));
  for (const { key, label, required, showIf } of schema.fields) {
    if (!required || showIf || sent.has(key)) continue;
    proposal.refused.push({ name: key, text: t.connect.import.requiredBySchema(label) });
  }
  return proposal;
}

/** The controls by name, in the order of the form. */
export function groupsOf(controls: readonly ParsedControl[]): Map<string, ParsedControl[]> {
  const groups = new Map<string, ParsedControl[]>();
  for (const control of controls) groups.set(control.name, [...(groups.get(control.name) ?? []), control]);
  return groups;
}

interface Group {
  name: string;
  controls: readonly ParsedControl[];
  schema: Schema;
  settings: FormSettings;
  taken: Set<string>;
}

function addGroup({ fields, refused, others }: FormProposal, { name, controls, schema, settings, taken }: Group): void {
  const types = new Set(controls.map(({ type }) => type));
  if (types.has('password')) return void refused.push({ name, text: t.connect.import.password });
  const meaning = schema.fields.some(({ key }) => key === name) ? undefined : meaningOf(name);
  if (meaning) {
    others.push({ name, text: meaning });
    refused.push(...nextProblem(name, controls, settings));
    return;
  }
  const own = keyIn(name);
  const key = FIELD_KEY_PATTERN.test(own) && !taken.has(own) ? own : freeKey(own, taken);
  taken.add(key);
  if (key !== own) refused.push({ name, text: t.connect.import.noKey(key) });
  const { definition, notes } = proposeField(key, controls);
  const existing = schema.fields.find((field) => field.key === key);
  if (existing && isOfStaff(existing)) return void refused.push({ name, text: t.connect.import.staffOnly });
  const state = existing === undefined ? 'new' : existing.kind === definition.kind ? 'exists' : 'differs';
  fields.push({ sentAs: name, definition, notes, state });
}

function freeKey(name: string, taken: ReadonlySet<string>): string {
  const wanted = keyFor(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2'));
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? wanted : `${wanted}${number}`;
    if (!taken.has(key)) return key;
  }
}

/** The control of the email: by its name, else the one that most likely is it. */
export function emailOf({ controls }: ParsedForm): ParsedControl | undefined {
  const sent = controls.filter(({ name, type }) => name !== '' && !BUTTONS.has(type) && type !== 'hidden');
  return (
    sent.find(({ name }) => name === 'email') ??
    sent.find(({ name }) => name === '_replyto') ??
    sent.find(({ type }) => type === 'email') ??
    sent.find(({ name }) => /^(?:your|my)?[-_ ]?e-?mail(?:[-_ ]?address)?$/i.test(keyIn(name)))
  );
}

function emailProblem(email: ParsedControl | undefined): NamedNote[] {
  if (email === undefined) {
    return [{ name: 'email', text: t.connect.import.noEmail }];
  }
  return EMAIL_NAMES.has(email.name) ? [] : [{ name: email.name, text: t.connect.import.renameEmail }];
}

function formProblems({ attributes, place, captchas }: ParsedForm, hasCaptcha: boolean): NamedNote[] {
  const problems: NamedNote[] = [];
  if (!place) problems.push({ name: 'form', text: t.connect.import.noElement });
  if (attributes.enctype?.toLowerCase() === 'text/plain') {
    problems.push({ name: 'enctype', text: t.connect.import.plainText });
  }
  if (captchas.length > 0) {
    problems.push({ name: 'captcha', text: hasCaptcha ? t.connect.import.replaceCaptcha : t.connect.import.captcha });
  }
  const honeypot = attributes['netlify-honeypot'] ?? attributes['data-netlify-honeypot'];
  if (honeypot && !meaningOf(honeypot)) {
    problems.push({ name: honeypot, text: t.connect.import.renameHoneypot });
  }
  return problems;
}

function nextProblem(name: string, [control]: readonly ParsedControl[], { origins }: FormSettings): NamedNote[] {
  if (!NEXT_NAMES.includes(name) || !control || !URL.canParse(control.value)) return [];
  const { origin } = new URL(control.value);
  if (origins.includes(origin)) return [];
  return [{ name, text: t.connect.import.allowWebsite(origin) }];
}

function unnamed({ controls }: ParsedForm): NamedNote[] {
  return controls
    .filter(({ name, type }) => name === '' && !BUTTONS.has(type))
    .map(({ label, type }) => ({ name: label || type, text: t.connect.import.noName }));
}

/** The names that a form may send for fields: those of its other controls, and the keys. */
export function knownNames(fields: readonly ImportedField[], schema: Pick<Schema, 'fields'>): ReadonlySet<string> {
  return new Set([...fields.map(({ sentAs }) => sentAs), ...schema.fields.map(({ key }) => key)]);
}

/** The attributes with which a button sends the form to another place, or in another way. */
export const BUTTON_ATTRIBUTES = ['formaction', 'formmethod', 'formenctype'] as const;

/** Whether browsers send a name for the button that sends the form: of an image two, always. */
export function sendsUnknownName({ type, name }: ParsedControl, known: ReadonlySet<string>): boolean {
  if (type === 'image') return !name.startsWith('_');
  return type === 'submit' && name !== '' && !known.has(keyIn(name)) && !known.has(name) && !meaningOf(name);
}

function buttonProblems({ controls }: ParsedForm, known: ReadonlySet<string>): NamedNote[] {
  const { buttonName, buttonPlace, imageButton } = t.connect.import;
  return controls.flatMap((control): NamedNote[] => {
    const { type, attributes, label, value } = control;
    if (type !== 'submit' && type !== 'image') return [];
    const name = control.name || label || value || type;
    const moved = BUTTON_ATTRIBUTES.filter((one) => attributes[one] !== undefined);
    return [
      ...(sendsUnknownName(control, known) ? [{ name, text: type === 'image' ? imageButton : buttonName }] : []),
      ...(moved.length > 0 ? [{ name, text: buttonPlace(moved.join(', ')) }] : []),
    ];
  });
}
