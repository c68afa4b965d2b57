import { useMemo } from 'react';
import { surfacesOf, type Theme } from '#src/features/display/theme.ts';
import { sheetOf } from '../../connect/settings/rendered-form.ts';

/** Each part of the form is an element of its own, on the sheet that the dashboard draws. */
const PART_STYLES = `
  :host { padding: 0 !important; border: 0 !important; border-radius: 0 !important; background: none !important; }
  :host > div { background: none !important; }
  .form > .editable:empty:not(#_) { position: static; }
  .editable { min-width: 2em; margin: 0; border-radius: 4px; outline: 1px dashed transparent; outline-offset: 4px; cursor: text; white-space: pre-wrap; }
  .editable:hover { outline-color: currentcolor; }
  .editable:focus { outline: 2px solid var(--user-collection-accent, #4c6ef5); }
  .editable:empty::before { content: attr(data-placeholder); opacity: 0.65; }
  .title { font-size: 1.625rem; font-weight: 700; line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
  .page-title { font-size: 1.25rem; font-weight: 650; line-height: 1.3; }
  .send { display: inline-block; min-height: 3em; padding: 0.75em 1.75em; box-sizing: border-box; border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font-weight: 600; justify-self: start; }
`;

/** The styles of a form, or of parts of one, with a theme. */
export function useFormSheet(theme: Theme): CSSStyleSheet {
  const given = JSON.stringify(theme);
  return useMemo(() => sheetOf(JSON.parse(given), PART_STYLES), [given]);
}

/** The colors of the page and of the sheet around a form, as in page.css. */
export function surfaceStyles(theme: Theme) {
  const { scheme = 'auto' } = theme;
  const [light, dark] = [surfacesOf(theme, 'light'), surfacesOf(theme, 'dark')];
  const colors = (name: 'page' | 'sheet' | 'text') => `light-dark(${light[name]}, ${dark[name]})`;
  const own = scheme === 'auto' ? {} : { colorScheme: scheme };
  return {
    page: { ...own, background: colors('page') },
    sheet: { background: colors('sheet'), color: colors('text') },
  };
}
