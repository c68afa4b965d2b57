import type { FormControl } from '../presentation.ts';
import type { FormField } from './form-field.ts';
import type { Markup, MarkupAttributes } from './markup.ts';

/** Returns the control of a field that has one input, with its text. */
export function inputMarkup({ control, name, id, texts }: FormField, described: MarkupAttributes): Markup {
  const text = texts ? (texts.at(-1) ?? '') : (control.default ?? '');
  const common = { id, name, required: control.required, ...control.attributes, ...described };
  if (control.type === 'select') return selectMarkup(control, common, text);
  const type = typeThatKeeps(control, text);
  if (type === 'textarea') return ['textarea', { ...common, rows: 5 }, text];
  const inputmode = control.type === 'number' ? 'decimal' : undefined;
  return ['input', { type, ...common, inputmode, value: text === '' ? undefined : text }];
}

function selectMarkup(control: FormControl, attributes: MarkupAttributes, text: string): Markup {
  const { placeholder = '', ...others } = attributes;
  const options = control.choices.map(
    ({ value, label }): Markup => ['option', { value, selected: value === text }, label],
  );
  return ['select', others, ['option', { value: '' }, String(placeholder)], ...options];
}

const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Returns the type of an input that shows this text. Browsers remove a text that is not a number or
 * date from their native controls, and line breaks from inputs of one line.
 */
function typeThatKeeps({ type }: FormControl, text: string): string {
  if (/[\r\n]/.test(text)) return 'textarea';
  if (type === 'list') return 'text';
  if (text === '') return type;
  if (type === 'number') return NUMBER.test(text) ? type : 'text';
  if (type === 'date') return isDate(text) ? type : 'text';
  return type;
}

function isDate(text: string): boolean {
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(`${text}T`);
}
