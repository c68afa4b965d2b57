import type { Request } from 'express';
import type { FieldDefinition } from '../../fields/definition.ts';
import { formFields } from '../../fields/markup/form-field.ts';
import { type PageContext, prefilled } from '../../fields/markup/prefilled.ts';
import { controlsOf } from './controls.ts';

/** Returns what the request for a form page tells the form. */
export function pageContext(req: Request): PageContext {
  const { query } = req;
  const referrer = req.get('referer') ?? '';
  return {
    page: `${req.protocol}://${req.get('host')}${req.originalUrl}`,
    referrer: /^https?:\/\//.test(referrer) ? referrer : '',
    query: (name) => [query[name]].flat().filter((text) => typeof text === 'string'),
  };
}

/** Returns the texts that the page gives the controls of a form, by control name. */
export function prefilledTexts(
  fields: readonly FieldDefinition[],
  context: PageContext,
): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const field of formFields(controlsOf(fields))) {
    const { name, texts } = prefilled(field, context);
    if (texts) found.set(name, texts);
  }
  return found;
}
