import type { FormControl } from '../presentation.ts';
import { type FormField, isHidden, problemId } from './form-field.ts';
import { inputMarkup } from './input-markup.ts';
import { type Markup, type MarkupNode, present } from './markup.ts';

/** Returns the element of one field: its label, help, problem and control. */
export function fieldMarkup(field: FormField): Markup {
  if (isHidden(field)) return ['span', { hidden: true }, ...hiddenInputs(field)];
  if (field.control.type === 'radio') return radioGroup(field);
  if (field.control.type === 'checkbox') return checkbox(field);
  const { id, control } = field;
  return [
    'div',
    { class: 'field' },
    ['label', { for: id }, control.label, ...requiredMark(control)],
    ...hints(field),
    inputMarkup(field, described(field)),
  ];
}

/** The class of the elements that tell problems; sites style it in their own forms. */
export const PROBLEM_CLASS = 'user-collection-problem';

/** Returns the element that tells the problem of a field. */
function problemMarkup(field: FormField, problem: string): Markup {
  return ['p', { class: PROBLEM_CLASS, id: problemId(field) }, sentence(problem)];
}

/** Returns a message such as `must be a number` as a sentence of its own. */
export function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

function hiddenInputs({ name, texts, control }: FormField): Markup[] {
  // An empty text may be the last one, which counts.
  const values = texts ?? (control.default ? [control.default] : []);
  return values.map((value) => ['input', { type: 'hidden', name, value }]);
}

function radioGroup(field: FormField): Markup {
  const { id, name, control, texts } = field;
  const chosen = texts ? texts.at(-1) : control.default;
  const choices = control.choices.map(({ value, label }, index): Markup => {
    const own = index === 0 ? id : `${id}-${index}`;
    const attributes = { type: 'radio', id: own, name, value, checked: value === chosen, required: control.required };
    return ['div', { class: 'choice' }, ['input', attributes], ['label', { for: own }, label]];
  });
  const state = { 'aria-required': control.required && 'true', ...described(field) };
  return [
    'fieldset',
    { class: 'field', role: 'radiogroup', ...state },
    ['legend', {}, control.label, ...requiredMark(control)],
    ...hints(field),
    ...choices,
  ];
}

/**
 * An unticked checkbox sends nothing, so a hidden `false` goes before it; the last value counts. A
 * form that came without the field gets none: sending it again changes nothing that it did not
 * name.
 */
function checkbox(field: FormField): Markup {
  const { id, name, control, texts } = field;
  const last = (texts ? texts.at(-1) : control.default)?.trim() ?? '';
  const checked = /^(?:on|true|1|yes)$/i.test(last);
  const isAbsent = texts !== undefined && last === '';
  const state = { checked, required: control.required, ...described(field) };
  return [
    'div',
    { class: 'field' },
    ...present<Markup>([!isAbsent && ['input', { type: 'hidden', name, value: 'false' }]]),
    [
      'div',
      { class: 'choice' },
      ['input', { type: 'checkbox', id, name, value: 'true', ...state }],
      ['label', { for: id }, control.label, ...requiredMark(control)],
    ],
    ...hints(field),
  ];
}

/** The help and the problem of a field. */
export function hints(field: FormField): Markup[] {
  const { id, control, problem } = field;
  return present<Markup>([
    control.consent?.url !== undefined && ['p', { class: 'help' }, consentLink(control.consent.url)],
    control.help !== undefined && ['p', { class: 'help', id: `${id}-help` }, control.help],
    problem !== undefined && problemMarkup(field, problem),
  ]);
}

/** The address is its text, so the link is honest in every language. */
function consentLink(href: string): Markup {
  return ['a', { href, target: '_blank', rel: 'noopener noreferrer' }, href.replace(/^https?:\/\//, '')];
}

export function requiredMark({ required }: FormControl): MarkupNode[] {
  return required ? [' ', ['span', { class: 'mark', 'aria-hidden': 'true' }, '*']] : [];
}

/** What assistive technology reads with the control. */
export function described(field: FormField): Record<string, string | undefined> {
  const { id, control, problem } = field;
  const ids = present([problem !== undefined && problemId(field), control.help !== undefined && `${id}-help`]);
  return {
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': problem === undefined ? undefined : 'true',
  };
}
