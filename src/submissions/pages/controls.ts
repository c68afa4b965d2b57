import { html } from 'ghtml';
import type { FieldDefinition } from '../../fields/definition.ts';
import { described, fieldMarkup, hints, requiredMark } from '../../fields/markup/field-markup.ts';
import { type FormField, isHidden } from '../../fields/markup/form-field.ts';
import { inputMarkup } from '../../fields/markup/input-markup.ts';
import type { Markup } from '../../fields/markup/markup.ts';
import { type FormControl, formControl } from '../../fields/presentation.ts';
import { toHtml } from './to-html.ts';

/**
 * What is made of a schema. The leases keep one list of fields per newest schema, so each is
 * described once, and a schema with 100,000 choices does not cost every request.
 */
const controls = new WeakMap<readonly FieldDefinition[], readonly FormControl[]>();

/** The HTML of controls with many choices, of which none is chosen. */
const unchosen = new WeakMap<FormControl, string>();

const MANY_CHOICES = 20;

/** The choices of a form that is shown again after a refusal; writing more takes too long. */
const MAX_CHOICES_AGAIN = 5_000;

/** Describes the controls of a schema's fields. */
export function controlsOf(fields: readonly FieldDefinition[]): readonly FormControl[] {
  let described = controls.get(fields);
  if (!described) {
    described = fields.map(formControl);
    controls.set(fields, described);
  }
  return described;
}

/** Returns whether a form of these fields can be shown again with what was entered. */
export function canShowAgain(fields: readonly FieldDefinition[]): boolean {
  const choices = controlsOf(fields).reduce((sum, control) => sum + control.choices.length, 0);
  return choices <= MAX_CHOICES_AGAIN;
}

/**
 * Returns the HTML of a field. Many choices are written once and not for each request: anybody may
 * request a page whose query parameters choose.
 */
export function fieldHtml(field: FormField): string {
  const { control, texts, problem } = field;
  if (control.type === 'list' && texts && texts.length > 1 && !isHidden(field))
    return toHtml([listMarkup(field, texts)]);
  if (problem !== undefined || control.choices.length < MANY_CHOICES || isHidden(field)) {
    return toHtml([fieldMarkup(field)]);
  }
  let markup = unchosen.get(control);
  if (markup === undefined) {
    // A text that was joined from many parts is slow to read each time; this makes it one part.
    markup = Buffer.from(toHtml([fieldMarkup({ ...field, texts: [] })])).toString();
    unchosen.set(control, markup);
  }
  return withChoice(markup, control.type, (texts ? texts.at(-1) : control.default) ?? '');
}

/** An input for each of several items. The service checks whether a required list has one. */
function listMarkup(field: FormField, texts: readonly string[]): Markup {
  const { id, control } = field;
  const inputs = texts.map((text, index) => {
    const one = { ...field, id: index === 0 ? id : `${id}-${index}`, texts: [text] };
    const attributes = { ...described(field), 'aria-label': `${control.label} ${index + 1}`, required: false };
    return inputMarkup(one, attributes);
  });
  const legend: Markup = ['legend', {}, control.label, ...requiredMark(control)];
  return ['fieldset', { class: 'field' }, legend, ...hints(field), ...inputs];
}

/** Values are escaped, so the attribute is at no other place. */
function withChoice(markup: string, type: FormControl['type'], text: string): string {
  const attribute = html` value="${text}"`;
  const at = text === '' ? -1 : markup.indexOf(attribute);
  if (at < 0) return markup;
  const end = at + attribute.length;
  return `${markup.slice(0, end)} ${type === 'radio' ? 'checked' : 'selected'}${markup.slice(end)}`;
}
