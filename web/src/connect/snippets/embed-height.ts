import { offeredChoices } from '#src/features/display/markup.ts';
import type { Field } from '../../api/endpoints.ts';
import { formControl, pagesOf, publicFields } from '../../schema-editor/draft/rules.ts';
import type { SnippetTarget } from './page-snippets.ts';

// Heights of the parts of an embedded form in px, each with the gap after it (web/embed/form.css).
const BUTTON = 48;
/** "Page 1 of 2". */
const PROGRESS = 65;
const PAGE_TITLE = 50;
const TITLE = 52;
const DESCRIPTION = 44;
const CONTROL = 106;
const TEXTAREA = 180;
const CHECKBOX = 68;
const LEGEND = 52;
const CHOICE = 54;
/** A row of stars or of numbers. */
const RATING = 52;
const HINT = 26;

/** Returns about how high the embedded form is, so that the page reserves its place. */
export function estimatedHeight({ schema, settings }: Pick<SnippetTarget, 'schema' | 'settings'>): number {
  const texts = (settings.title === null ? 0 : TITLE) + (settings.description === null ? 0 : DESCRIPTION);
  const email = CONTROL;
  const fields = publicFields(schema.fields);
  const pages = pagesOf(fields);
  // What the first page shows at least.
  const first = fields.filter(({ showIf }, index) => pages[index] === 1 && showIf === undefined);
  const title = settings.pages?.some(({ page }) => page === 1) ? PAGE_TITLE : 0;
  const page = new Set([1, ...pages]).size > 1 ? PROGRESS + title : 0;
  return first.reduce((sum, field) => sum + heightOf(field), texts + email + BUTTON + page);
}

function heightOf(field: Field): number {
  const control = formControl(field);
  const { type, hidden, source, help, consent } = control;
  if (hidden || source !== undefined) return 0;
  const hints = (help === undefined ? 0 : HINT) + (consent?.url === undefined ? 0 : HINT);
  if (type === 'textarea') return TEXTAREA + hints;
  if (type === 'checkbox') return CHECKBOX + hints;
  if (type === 'stars' || type === 'scale') return LEGEND + RATING + (control.ends ? HINT : 0) + hints;
  if (type === 'radio' || type === 'checkboxes') return LEGEND + CHOICE * offeredChoices(control).length + hints;
  return CONTROL + hints;
}
