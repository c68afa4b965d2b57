import { isRadio } from '../../core/fields/base/control-types.ts';
import { choicesIn } from '../../platform/text/choice-list.ts';
import { labelNodes, marked } from './marks.ts';
import type { Markup, MarkupAttributes, MarkupNode } from './markup-node.ts';
import type { FormControl } from './presentation.ts';

export type { Markup, MarkupNode } from './markup-node.ts';

/** A control in a form with its content. */
export interface FormField {
  control: FormControl;
  /** The name under which the form sends the control. */
  name: string;
  /** Unique in the page; the first control of a field has this id. */
  id: string;
  /** The texts of the control. Undefined: it begins with its default. */
  texts?: readonly string[] | undefined;
  /** Why the texts were refused. */
  problem?: string | undefined;
  /** The files of an earlier attempt, and what the form says of them. */
  kept?: KeptFiles | undefined;
  /** In a form with pages or conditions: whether the field is not shown at first. */
  isOff?: boolean | undefined;
  /** In such a form: whether a shown field is required at first. */
  isRequired?: boolean | undefined;
}

/** Files that have arrived and are sent again, unless a person unticks them. */
interface KeptFiles {
  text: string;
  files: readonly { token: string; name: string; size: number }[];
}

/** The control of the email, which every form has and no schema declares. */
const EMAIL: Omit<FormControl, 'label'> = {
  key: 'email',
  type: 'email',
  attributes: { autocomplete: 'email', maxlength: 254 },
  choices: [],
  required: true,
  hidden: false,
  prefill: false,
};

/**
 * Returns the email and the controls as fields of a form. `data[key]` equals no other name.
 * @param email the label of the email
 */
export function formFields(controls: readonly FormControl[], email = 'Email'): FormField[] {
  const fields = controls.map((control) => ({ control, name: `data[${control.key}]`, id: `data-${control.key}` }));
  return [{ control: { ...EMAIL, label: email }, name: 'email', id: 'email' }, ...fields];
}

export const isHidden = ({ control }: FormField): boolean => control.hidden || control.source !== undefined;

const problemId = ({ id }: FormField): string => `${id}-problem`;

/** Returns the nodes without those that a condition left out. */
export function present<One>(nodes: readonly (One | undefined | false | '')[]): One[] {
  return nodes.filter((node): node is One => Boolean(node));
}

/** Returns the control of a field that has one input, with its text. */
export function inputMarkup({ control, name, id, texts }: FormField, described: MarkupAttributes): Markup {
  const text = texts ? (texts.at(-1) ?? '') : (control.default ?? '');
  const common = { id, name, required: isRequired(control), ...control.attributes, ...described };
  if (control.type === 'select') return selectMarkup(control, common, text);
  const type = typeThatKeeps(control, text);
  if (type === 'textarea') return ['textarea', { ...common, rows: 5 }, text];
  // The keyboard of iPhones for it has no minus.
  const inputmode = control.type === 'number' && Number(control.attributes.min) >= 0 ? 'decimal' : undefined;
  return ['input', { type, ...common, inputmode, value: text === '' ? undefined : text }];
}

function selectMarkup(control: FormControl, attributes: MarkupAttributes, text: string): Markup {
  const { placeholder = '', ...others } = attributes;
  const options = control.choices.map(
    ({ value, label }): Markup => ['option', { value, selected: value === text }, label],
  );
  return ['select', others, ['option', { value: '' }, String(placeholder)], ...options];
}

/** Browsers remove line breaks from other controls. */
function typeThatKeeps({ type }: FormControl, text: string): string {
  if (/[\r\n]/.test(text)) return 'textarea';
  return type === 'list' ? 'text' : type;
}

/** Whether a browser without the script requires the control: not where the field may not count. */
const isRequired = ({ required, showIf }: FormControl): boolean => required && showIf === undefined;

export function fieldMarkup(field: FormField): Markup {
  return withState(field, controlMarkup(field));
}

/**
 * Marks the element of a field in a form with pages or conditions. The marks have no effect without
 * the script of the form (web/embed/form.css), so that everything is shown without it.
 */
export function withState({ control, isOff }: FormField, [tag, attributes, ...children]: Markup): Markup {
  const marks = isOff === undefined ? {} : { 'data-field': control.key, 'data-off': isOff };
  return [tag, { ...attributes, ...marks }, ...children];
}

function controlMarkup(field: FormField): Markup {
  if (isHidden(field)) return ['span', { hidden: true }, ...hiddenInputs(field)];
  const { id, control } = field;
  if (isRadio(control.type) || control.type === 'checkboxes') return choiceGroup(field);
  if (control.type === 'checkbox') return checkbox(field);
  if (control.type === 'file') return fileControl(field);
  return [
    'div',
    { class: 'field' },
    ['label', { for: id }, control.label, ...requiredMark(field)],
    ...hints(field),
    inputMarkup(field, described(field)),
  ];
}

/** The class of the elements with the problem of a field; sites style it in their own forms. */
export const PROBLEM_CLASS = 'user-collection-problem';

/** Returns a message such as `must be a number` as a sentence of its own. */
export function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

function hiddenInputs({ name, texts, control }: FormField): Markup[] {
  // An empty text may be the last one, which counts.
  const values = texts ?? present([control.default]);
  return values.map((value) => hiddenInput(name, value));
}

/** An entry that the form sends without showing it. */
export const hiddenInput = (name: string, value: string): Markup => ['input', { type: 'hidden', name, value }];

function choiceMarkup(input: MarkupAttributes, ...label: MarkupNode[]): Markup {
  return ['div', { class: 'choice' }, ['input', input], ['label', { for: input.id }, ...label]];
}

/** The choices, and for an optional answer of radio buttons an empty one, which takes it back. */
export const offeredChoices = ({ type, choices, attributes }: FormControl): FormControl['choices'] =>
  isRadio(type) && attributes.placeholder !== undefined
    ? [...choices, { value: '', label: String(attributes.placeholder) }]
    : choices;

/**
 * Radio buttons, or boxes for several choices. An empty text goes before the boxes, so that a
 * person can remove all choices; a form without the field gets none, as for a checkbox below.
 */
function choiceGroup(field: FormField): Markup {
  const { id, control, texts } = field;
  const isMany = control.type === 'checkboxes';
  const name = isMany ? `${field.name}[]` : field.name;
  const initial = texts ?? present([control.default]);
  const chosen = new Set(isMany ? choicesIn(initial) : initial.slice(-1));
  const { ends = {} } = control;
  const offered = offeredChoices(control);
  const choices = offered.map(({ value, label }, index): Markup => {
    const own = index === 0 ? id : `${id}-${index}`;
    const end = index === 0 ? 'min' : 'max';
    const isEnd = index === 0 || index === control.choices.length - 1;
    const state = { checked: chosen.has(value), required: !isMany && isRequired(control) };
    const about = { 'aria-describedby': isEnd && ends[end] ? `${id}-${end}` : undefined };
    return choiceMarkup({ type: isMany ? 'checkbox' : 'radio', id: own, name, value, ...state, ...about }, label);
  });
  const role = !isMany && { role: 'radiogroup', 'aria-required': isRequired(control) && 'true' };
  return [
    'fieldset',
    { class: 'field', ...role, ...described(field) },
    ['legend', {}, control.label, ...requiredMark(field)],
    ...hints(field),
    ...(isMany && texts?.length !== 0 ? [hiddenInput(name, '')] : []),
    ...(control.type === 'stars' || control.type === 'scale' ? rating(field, choices) : choices),
  ];
}

/** A row of radio buttons with the texts at its ends, and after it the empty one. */
function rating({ id, control }: FormField, choices: readonly Markup[]): Markup[] {
  const { type, ends } = control;
  const count = control.choices.length;
  const end = (name: 'min' | 'max'): Markup => ['span', { id: `${id}-${name}` }, ends?.[name] ?? ''];
  return [
    [
      'div',
      { class: type },
      ['div', {}, ...choices.slice(0, count)],
      ...(ends ? [['div', { class: 'ends' }, end('min'), end('max')] satisfies Markup] : []),
    ],
    ...choices.slice(count).map(([tag, , ...content]): Markup => [tag, { class: 'choice none' }, ...content]),
  ];
}

/**
 * An unticked checkbox sends nothing, so a hidden `false` goes before it; the last value counts. A
 * form without the field gets none, so that sending it again changes nothing else.
 */
function checkbox(field: FormField): Markup {
  const { id, name, control, texts } = field;
  const last = (texts ? texts.at(-1) : control.default)?.trim() ?? '';
  const checked = /^(?:on|true|1|yes)$/i.test(last);
  const isAbsent = texts !== undefined && last === '';
  const state = { checked, required: isRequired(control), ...described(field) };
  return [
    'div',
    { class: 'field' },
    ...(isAbsent ? [] : [hiddenInput(name, 'false')]),
    choiceMarkup(
      { type: 'checkbox', id, name, value: 'true', ...state },
      ...labelNodes(control),
      ...requiredMark(field),
    ),
    ...hints(field),
  ];
}

/** The script of a form with files makes a list of them (web/embed/files.ts). */
function fileControl(field: FormField): Markup {
  const { id, name, control, kept } = field;
  const { maxFiles, maxBytes } = control.files ?? {};
  const files = kept?.files ?? [];
  const required = isRequired(control);
  return [
    'div',
    { class: 'field' },
    ['label', { for: id }, control.label, ...requiredMark(field)],
    ...hints(field),
    ...(kept && files.length > 0 ? [keptMarkup(field, kept)] : []),
    [
      'input',
      {
        type: 'file',
        id,
        name,
        required: required && files.length === 0,
        'data-required': required,
        'data-max-files': maxFiles,
        'data-max-bytes': maxBytes,
        ...control.attributes,
        ...described(field),
      },
    ],
  ];
}

function keptMarkup({ id, name, control }: FormField, { text, files }: KeptFiles): Markup {
  const boxes = files.map(({ token, name: fileName, size }, index): Markup => {
    const own = { type: 'checkbox', id: `${id}-kept-${index}`, name, value: token, checked: true };
    return choiceMarkup({ ...own, 'data-name': fileName, 'data-size': size }, fileName);
  });
  const about = `${id}-kept`;
  return [
    'div',
    { role: 'group', 'aria-label': control.label, 'aria-describedby': about, 'data-kept': true },
    ['p', { class: 'help', id: about }, text],
    ...boxes,
  ];
}

/** When a field counts, its help and its problem. */
export function hints(field: FormField): Markup[] {
  const { id, control, problem } = field;
  return present<Markup>([
    ...whenTexts(control).map(
      (text, index): Markup => ['p', { class: 'help', id: whenId(id, index), 'data-when': true }, text],
    ),
    control.consent?.url !== undefined && ['p', { class: 'help' }, consentLink(control.consent.url)],
    control.help !== undefined && ['p', { class: 'help', id: `${id}-help` }, ...marked(control.help)],
    problem !== undefined && ['p', { class: PROBLEM_CLASS, id: problemId(field) }, sentence(problem)],
  ]);
}

/** The words for conditions, which the script of a form removes. */
const whenTexts = ({ when }: FormControl): string[] => present([when?.shown, when?.required]);
const whenId = (id: string, index: number): string => `${id}-when-${index}`;

/** The address is its text, so the link is honest in every language. */
function consentLink(href: string): Markup {
  return ['a', { href, target: '_blank', rel: 'noreferrer' }, href.replace(/^https?:\/\//, '')];
}

export function requiredMark({ control, isRequired = false }: FormField): MarkupNode[] {
  const { required, requiredIf } = control;
  if (!required && requiredIf === undefined) return [];
  return [' ', ['span', { class: 'mark', 'aria-hidden': 'true', 'data-off': !required && !isRequired }, '*']];
}

/** What assistive technology reads with the control. */
export function described(field: FormField): Record<string, string | undefined> {
  const { id, control, problem } = field;
  const ids = present([
    problem !== undefined && problemId(field),
    ...whenTexts(control).map((_, index) => whenId(id, index)),
    control.help !== undefined && `${id}-help`,
  ]);
  return {
    'aria-describedby': ids.join(' ') || undefined,
    'aria-invalid': problem === undefined ? undefined : 'true',
  };
}

/** A field that only programs fill in (spec 4.5). Neither browsers nor password managers do. */
export const honeypot = (label: string): Markup => [
  'div',
  { class: 'trap', 'aria-hidden': 'true' },
  ['label', { for: 'trap' }, label],
  [
    'input',
    {
      type: 'text',
      id: 'trap',
      name: '_gotcha',
      tabindex: -1,
      autocomplete: 'off',
      'data-1p-ignore': true,
      'data-lpignore': 'true',
      'data-bwignore': true,
      'data-form-type': 'other',
    },
  ],
];

/** The data about a page for the fields of its form. */
export interface PageContext {
  page: string;
  /** The URL of the page before; empty when there is none. */
  referrer: string;
  /** Returns the values of a query parameter of the page. */
  query(name: string): readonly string[];
}

/**
 * Returns a field with the texts that the page gives it: query parameters for a field with
 * `prefill`, and the value of its `source` (spec 4.5).
 */
export function prefilled(field: FormField, context: PageContext): FormField {
  const { control } = field;
  const texts = control.source ? [sourceText(control, context)] : control.prefill ? context.query(control.key) : [];
  return texts.some((text) => text !== '') ? { ...field, texts } : field;
}

/** Nobody sees this text, so one that is too long is cut instead of refused. */
function sourceText({ source = 'page', attributes }: FormControl, context: PageContext): string {
  const text = source === 'page' || source === 'referrer' ? context[source] : (context.query(source)[0] ?? '');
  return [...text].slice(0, Number(attributes['data-max-length'] ?? 1 / 0)).join('');
}
