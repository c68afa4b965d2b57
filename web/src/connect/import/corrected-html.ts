import type { Schema } from '../../api/endpoints.ts';
import { formControls } from '../../schema-editor/draft/rules.ts';
import { startTag } from '../snippets/escape.ts';
import { fieldHtml } from '../snippets/field-html.ts';
import { boxValue, needsNone } from './field-proposal.ts';
import { keyIn, meaningOf } from './names.ts';
import type { ParsedControl, ParsedForm, Place } from './parse-form.ts';
import {
  BUTTON_ATTRIBUTES,
  EMAIL_NAMES,
  emailOf,
  type FormProposal,
  groupsOf,
  type ImportedField,
  knownNames,
  sendsUnknownName,
} from './proposal.ts';

/** A part of a text with its changes. The result is the text without the removed parts. */
export interface Part {
  text: string;
  change?: 'added' | 'removed';
}

/** Replaces the text from `start` to `end`. */
interface Edit extends Place {
  text: string;
}

interface Target {
  /** The address that forms are sent to. */
  action: string;
  schema: Pick<Schema, 'fields'>;
  /** The elements of the challenge of the app; none without a provider. */
  captcha: readonly string[];
}

const EMAIL_HTML = '<p><label>Email<br> <input type="email" name="email" required></label></p>';

/** Returns the HTML in which a form sends what its proposal describes. */
export function correctedHtml(html: string, form: ParsedForm, proposal: FormProposal, target: Target): Part[] {
  const edits = [
    ...formEdits(html, form, target.action),
    ...emailEdits(html, form),
    ...captchaEdits(html, form, target.captcha),
    ...honeypotEdits(html, form),
    ...passwordEdits(form),
    ...buttonEdits(html, form, knownNames(proposal.fields, target.schema)),
    ...proposal.fields.flatMap((field) => fieldEdits(html, form, field)),
    ...missingEdits(html, form, proposal, target.schema),
  ];
  return partsOf(html, edits);
}

function formEdits(html: string, { place, attributes, controls }: ParsedForm, action: string): Edit[] {
  // Without it a browser sends the name of a file in its place.
  const enctype = controls.some(({ type }) => type === 'file') ? 'multipart/form-data' : undefined;
  if (!place) {
    const tag = startTag('form', { action, method: 'post', enctype });
    return [
      { start: 0, end: 0, text: `${tag}\n` },
      { start: html.length, end: html.length, text: '\n</form>' },
    ];
  }
  return [
    ...(attributes.action === action ? [] : [withAttribute(html, place, 'action', action)]),
    ...(attributes.method?.toLowerCase() === 'post' ? [] : [withAttribute(html, place, 'method', 'post')]),
    ...(mustReplaceEncoding(attributes.enctype?.toLowerCase(), enctype)
      ? [withAttribute(html, place, 'enctype', enctype)]
      : []),
  ];
}

const mustReplaceEncoding = (sent: string | undefined, needed: string | undefined): boolean =>
  needed === undefined ? sent === 'text/plain' : sent !== needed;

function emailEdits(html: string, form: ParsedForm): Edit[] {
  const email = emailOf(form);
  if (!email) {
    const start = form.place ? startTagEnd(html, form.place) : 0;
    return [{ start, end: start, text: `\n  ${EMAIL_HTML}` }];
  }
  return EMAIL_NAMES.has(email.name) ? [] : [withAttribute(html, email.place, 'name', 'email')];
}

/** The challenge of the app takes the place of the first one, or of the button. */
function captchaEdits(html: string, form: ParsedForm, [element = '', script = '']: readonly string[]): Edit[] {
  const [first, ...others] = form.captchas;
  const [address = script] = /https:[^?"]+/.exec(script) ?? [];
  const text = html.includes(address) ? element : `${element}\n  ${script}`;
  const removed = others.map((place) => ({ ...place, text: '' }));
  if (element === '') return [...(first ? [{ ...first, text: '' }] : []), ...removed];
  if (!first) return [beforeButton(html, form, text)];
  return html.slice(first.start, first.end) === element ? removed : [{ ...first, text }, ...removed];
}

/** Netlify lets a form name its hidden field for bots. */
function honeypotEdits(html: string, { attributes, controls }: ParsedForm): Edit[] {
  const name = attributes['netlify-honeypot'] ?? attributes['data-netlify-honeypot'];
  if (!name || meaningOf(name)) return [];
  const named = controls.filter((control) => control.name === name);
  return named.map(({ place }) => withAttribute(html, place, 'name', '_gotcha'));
}

/** Passwords should not be collected. Their labels go with them. */
function passwordEdits({ controls }: ParsedForm): Edit[] {
  const refused = controls.filter(({ type }) => type === 'password');
  return refused.flatMap(({ place, labels }) => [...labels, place].map((one) => ({ ...one, text: '' })));
}

/** The service ignores names that begin with `_`, such as `_image.x`. */
const IMAGE_NAME = '_image';

/** What is a field of no schema would be stored, or refuse the form. */
function buttonEdits(html: string, { controls }: ParsedForm, known: ReadonlySet<string>): Edit[] {
  const buttons = controls.filter(({ type }) => type === 'submit' || type === 'image');
  return buttons.flatMap((button) => {
    const { type, place, attributes } = button;
    const moved = BUTTON_ATTRIBUTES.filter((name) => attributes[name] !== undefined);
    return [
      ...(sendsUnknownName(button, known)
        ? [withAttribute(html, place, 'name', type === 'image' ? IMAGE_NAME : undefined)]
        : []),
      ...moved.map((name) => withAttribute(html, place, name, undefined)),
    ];
  });
}

function fieldEdits(html: string, form: ParsedForm, { sentAs, definition }: ImportedField): Edit[] {
  const controls = groupsOf(form.controls).get(sentAs) ?? [];
  const honeypot = form.attributes['netlify-honeypot'] ?? form.attributes['data-netlify-honeypot'];
  if (sentAs === honeypot) return [];
  const isList = sentAs.endsWith('[]') || definition.kind === 'multiselect';
  const name = keyIn(sentAs) === definition.key ? sentAs : `${definition.key}${isList ? '[]' : ''}`;
  const boxes = controls.filter(({ type }) => type === 'checkbox');
  const [first] = boxes;
  return [
    ...(name === sentAs ? [] : controls.map(({ place }) => withAttribute(html, place, 'name', name))),
    ...(definition.kind === 'checkbox' ? boxes.flatMap((box) => trueEdits(html, box)) : []),
    ...(definition.kind === 'multiselect' ? boxes.flatMap((box) => valueEdits(html, box)) : []),
    ...(first && definition.kind === 'checkbox' ? hiddenEdits(controls, first, name, 'false') : []),
    ...(first && definition.kind === 'multiselect' && needsNone(controls)
      ? hiddenEdits(controls, first, name, '')
      : []),
  ];
}

function trueEdits(html: string, { attributes, value, place }: ParsedControl): Edit[] {
  const isTrue = attributes.value === undefined || /^(?:on|true|1|yes)$/i.test(value);
  return isTrue ? [] : [withAttribute(html, place, 'value', 'true')];
}

function valueEdits(html: string, box: ParsedControl): Edit[] {
  return box.attributes.value === undefined ? [withAttribute(html, box.place, 'value', boxValue(box))] : [];
}

/** What the form sends when no box is checked. */
function hiddenEdits(
  controls: readonly ParsedControl[],
  { place }: ParsedControl,
  name: string,
  value: string,
): Edit[] {
  if (controls.some(({ type }) => type === 'hidden')) return [];
  return [{ start: place.start, end: place.start, text: startTag('input', { type: 'hidden', name, value }) }];
}

/** Fields that the schema requires, before the button that sends the form. */
function missingEdits(html: string, form: ParsedForm, { fields }: FormProposal, schema: Target['schema']): Edit[] {
  const sent = new Set(fields.map(({ definition }) => definition.key));
  const missing = formControls(schema.fields).filter(({ key, required }) => required && !sent.has(key));
  if (missing.length === 0) return [];
  return [beforeButton(html, form, missing.flatMap((control) => fieldHtml(control, false)).join('\n  '))];
}

/** Adds a text before the button that sends the form. */
function beforeButton(html: string, form: ParsedForm, text: string): Edit {
  const button = form.controls.find(({ type }) => type === 'submit' || type === 'button' || type === 'image');
  const start = button?.place.start ?? (form.place ? html.lastIndexOf('</', form.place.end) : html.length);
  return { start, end: start, text: `${text}\n  ` };
}

/** The attributes of a start tag, each with the white space before it. */
const ATTRIBUTE = /[\s/]+([^\s=>/"']+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?/y;

function attributesOf(html: string, { start }: Place): { name: string; start: number; end: number }[] {
  const found: { name: string; start: number; end: number }[] = [];
  ATTRIBUTE.lastIndex = nameEnd(html, start);
  for (let match = ATTRIBUTE.exec(html); match; match = ATTRIBUTE.exec(html)) {
    found.push({ name: (match[1] ?? '').toLowerCase(), start: match.index, end: match.index + match[0].length });
  }
  return found;
}

function nameEnd(html: string, start: number): number {
  return start + (/^<[^\s/>]+/.exec(html.slice(start, start + 50))?.[0].length ?? 0);
}

/** The place after the start tag of an element. */
function startTagEnd(html: string, place: Place): number {
  const from = attributesOf(html, place).at(-1)?.end ?? nameEnd(html, place.start);
  return html.indexOf('>', from) + 1;
}

/** Sets an attribute of the element at a place; undefined removes it. */
function withAttribute(html: string, place: Place, name: string, value: string | undefined): Edit {
  const known = attributesOf(html, place).find((attribute) => attribute.name === name);
  const at = known ?? { start: nameEnd(html, place.start), end: nameEnd(html, place.start) };
  const text = value === undefined ? '' : startTag('x', { [name]: value }).slice('<x'.length, -1);
  return { start: at.start, end: at.end, text };
}

/**
 * Of two changes of one text the first one counts. What is added where another change begins, such
 * as an attribute before a replaced one, precedes it.
 */
function partsOf(html: string, edits: readonly Edit[]): Part[] {
  const parts: Part[] = [];
  const add = (text: string, change?: Part['change']): void => {
    if (text !== '') parts.push(change ? { text, change } : { text });
  };
  let at = 0;
  for (const { start, end, text } of [...edits].sort(inOrder)) {
    if (start < at) continue;
    add(html.slice(at, start));
    add(html.slice(start, end), 'removed');
    add(text, 'added');
    at = end;
  }
  add(html.slice(at));
  return parts;
}

function inOrder(one: Edit, other: Edit): number {
  const isAddition = ({ start, end }: Edit): number => (start === end ? 1 : 0);
  return one.start - other.start || isAddition(other) - isAddition(one) || other.end - one.end;
}
