import type { FormControl } from '../presentation.ts';
import type { FormField } from './form-field.ts';

/** What the address of a page and its referrer tell a form. */
export interface PageContext {
  /** The address of the page. */
  page: string;
  /** The address of the page before; empty when there is none. */
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
  return [...text].slice(0, Number(attributes.maxlength ?? 1 / 0)).join('');
}
