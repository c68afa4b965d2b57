import type { FieldDefinition } from '../../fields/definition.ts';
import { fieldMarkup } from '../../fields/markup/field-markup.ts';
import type { FormField } from '../../fields/markup/form-field.ts';
import { type FormControl, formControl } from '../../fields/presentation.ts';
import { toHtml } from './to-html.ts';

/**
 * What is made of a schema. The leases keep one list of fields per newest schema, so each is
 * described once, and a schema with 100,000 choices does not cost every request.
 */
const controls = new WeakMap<readonly FieldDefinition[], readonly FormControl[]>();

/** The HTML of controls with many choices, as nobody has filled them in. */
const untouched = new WeakMap<FormControl, string>();

const MANY_CHOICES = 100;

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

/** Returns the HTML of a field. */
export function fieldHtml(field: FormField): string {
  const { control, texts, problem } = field;
  if (texts || problem !== undefined || control.choices.length < MANY_CHOICES) return toHtml([fieldMarkup(field)]);
  let html = untouched.get(control);
  if (html === undefined) {
    // A text that was joined from many parts is slow to read each time; this makes it one part.
    html = Buffer.from(toHtml([fieldMarkup(field)])).toString();
    untouched.set(control, html);
  }
  return html;
}
