import type { ServiceText } from '#src/core/fields/base/kind.ts';
import { progressMarkup, type StepTitle, stepMarkup, stepsOf } from '#src/features/display/form-steps.ts';
import { labelNodes, marked } from '#src/features/display/marks.ts';
import { type FormField, fieldMarkup, formFields, isHidden, type Markup } from '#src/features/display/markup.ts';
import { imageMarkup, surfacesOf, type Theme, themeStyle } from '#src/features/display/theme.ts';
import { type Catalogue, fillText } from '#src/platform/languages/catalogue.ts';
import { PLAIN_NUMBERS } from '#src/platform/languages/texts.ts';
import choiceStyles from '../../../embed/choices.css?inline';
import { toDom } from '../../../embed/dom.ts';
import fileStyles from '../../../embed/files.css?inline';
import formStyles from '../../../embed/form.css?inline';
import stepStyles from '../../../embed/steps.css?inline';
import type { Field, FormSettings } from '../../api/endpoints.ts';
import { formControls, publicFields, sampleData } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';

// A form as people see it, built by the code of the hosted form. Nothing can be entered.

const PREVIEW_STYLES = `
  h2 { margin: 0 0 0.5rem; font-size: 1.625rem; font-weight: 700; line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
  h2 + .form { margin-top: 1.5rem; }
  .text { margin: 0 0 1.5rem; overflow-wrap: anywhere; white-space: pre-line; }
  dl { margin: 1.5rem 0; }
  dt { font-weight: 600; }
  dd { margin: 0; }
  dd + dt { margin-top: 0.75rem; }
  .form.actions { display: flex; flex-wrap: wrap; gap: 0.75em; margin-top: 1.75em; }
  button.plain { border-color: var(--edge); background: none; color: inherit; }
`;

/** The page around the form, as in page.css; it has the scheme of its element. */
function pageStyles(theme: Theme): string {
  const [light, dark] = [surfacesOf(theme, 'light'), surfacesOf(theme, 'dark')];
  const both = (name: 'page' | 'sheet' | 'text') => `light-dark(${light[name]}, ${dark[name]})`;
  return `
  :host { padding: clamp(0rem, 5%, 4rem) 0 !important; border-radius: 0 !important; background: ${both('page')} !important; }
  main { --pad: 1.75rem; box-sizing: border-box; max-width: 40rem; margin: 0 auto; padding: var(--pad); border-radius: 16px; overflow: clip; }
  main > .cover { width: calc(100% + 2 * var(--pad)); max-width: none; margin: calc(-1 * var(--pad)) calc(-1 * var(--pad)) 2rem; border-radius: 0; }
  main:not(#_) { background: ${both('sheet')}; color: ${both('text')}; }
`;
}

/** The styles of a form with a theme. @param more rules that come before those of the theme */
export function sheetOf(theme: Theme, more: string): CSSStyleSheet {
  // Style sheets that a script constructs do not need `style-src 'unsafe-inline'`.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(formStyles + choiceStyles + stepStyles + fileStyles + PREVIEW_STYLES + more + themeStyle(theme));
  return sheet;
}

/** Shows elements of a form in an element of the dashboard. @param isPage with the page around */
export function render(host: HTMLElement, content: readonly Markup[], theme: Theme, isPage: boolean): void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheetOf(theme, isPage ? pageStyles(theme) : '')];
  root.replaceChildren(...toDom(isPage ? [['main', {}, ...content]] : content));
}

/** What the texts of a form are made from; empty texts are those of the service. */
interface FormTexts {
  name: string;
  title: string;
  description: string;
  submitLabel: string;
  pages: readonly StepTitle[];
}

interface ShownForm {
  sourceAppId: string;
  fields: readonly Field[];
  /** The language of the texts. */
  tag: string;
  /** The texts of the service in it. */
  service: Catalogue;
}

/** The elements of a form: its texts, fields and button. @param isFirstOnly as the page opens */
export function formMarkup(
  { name, title, description, submitLabel, pages }: FormTexts,
  { sourceAppId, fields, tag, service }: ShownForm,
  isFirstOnly = false,
): Markup[] {
  const text: ServiceText = (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS);
  const all = formFields(formControls(publicFields(fields), tag, text), String(service.email));
  const steps = stepsOf(all, pages);
  const shown = isFirstOnly ? steps?.slice(0, 1) : steps;
  const markup = shown?.map((step): Markup => {
    const [name, attributes, ...heading] = stepMarkup(step, true, 'h3');
    return [name, attributes, ...heading, ...step.fields.map(fieldMarkup)];
  });
  const position = { page: 1, pages: steps?.length ?? 0 };
  const progress = isFirstOnly && steps ? [withoutMarks(progressMarkup(text('pageOf', position), position))] : [];
  const controls = markup ?? all.map(fieldMarkup);
  const label = progress.length > 0 ? String(service.nextPage) : submitLabel || String(service.send);
  const button: Markup = ['button', { type: 'button' }, label];
  return [
    ...heading(title || name || sourceAppId, description),
    ['div', { class: 'form' }, ...progress, ...controls, button],
  ];
}

/** The marks are for the script of a form, which is not here. */
function withoutMarks([tag, { 'data-live': _, ...attributes }, ...content]: Markup): Markup {
  return [tag, attributes, ...content];
}

interface ThanksTexts extends Pick<FormTexts, 'name' | 'title'> {
  thanks: string;
  next: string;
  doubleOptIn: string;
  existing: string;
}

/** The elements of the page after a submission. */
export function thanksMarkup(
  { name, title, thanks, next, doubleOptIn, existing }: ThanksTexts,
  { sourceAppId, service }: Pick<ShownForm, 'sourceAppId' | 'service'>,
): Markup[] {
  const text = next ? [t.connect.settings.sentTo(next)] : marked(thanks || String(service.thanks));
  const asks = doubleOptIn ? service.thanksConfirm : existing === 'confirm' && service.thanksKnown;
  const confirm: Markup[] = asks && !next ? [['p', {}, String(asks)]] : [];
  return [...heading(title || name || sourceAppId, ''), ['p', { class: 'note good thanks' }, ...text], ...confirm];
}

/** The elements of the page of a person's own entry, with sample values. */
export function entryMarkup(
  { name, title }: Pick<FormTexts, 'name' | 'title'>,
  { sourceAppId, fields, tag, service }: ShownForm,
  { fields: keys, erase, export: download }: NonNullable<FormSettings['own']>,
): Markup[] {
  const text: ServiceText = (code, params = {}) => fillText(service, code, params, PLAIN_NUMBERS);
  const ofEveryone = publicFields(fields);
  const sample = sampleData({ fields: ofEveryone });
  const kinds = new Map(ofEveryone.map(({ key, kind }) => [key, kind]));
  const isChangeable = ({ control: { key } }: FormField): boolean =>
    kinds.get(key) !== 'array' && (keys === undefined || keys.includes(key));
  const textsOf = ({ control: { key, type } }: FormField): string[] =>
    type === 'file' || sample[key] === undefined ? [] : [sample[key]].flat().map(sampleText);
  const [, ...all] = formFields(formControls(ofEveryone, tag, text));
  const shown = all.filter((field) => !isHidden(field)).map((field) => ({ ...field, texts: textsOf(field) }));
  const controls = shown.filter(isChangeable);
  const values = shown.filter((field) => !isChangeable(field) && field.texts.length > 0);
  const terms = values.flatMap(({ control, texts }): Markup[] => [
    ['dt', {}, ...labelNodes(control)],
    ['dd', {}, texts.map((text) => wordsOf(control, text)).join(', ')],
  ]);
  const button = (label: string): Markup => ['button', { type: 'button', class: 'plain' }, label];
  const actions = [
    ...(download ? [button(text('entryDownload'))] : []),
    ...(erase ? [button(text('entryErase'))] : []),
  ];
  return [
    ...heading(title || name || sourceAppId, ''),
    ['dl', {}, ['dt', {}, text('email')], ['dd', {}, 'ada@example.com'], ...terms],
    ...(controls.length > 0
      ? [
          [
            'div',
            { class: 'form' },
            ...controls.map(fieldMarkup),
            ['button', { type: 'button' }, text('entrySave')],
          ] satisfies Markup,
        ]
      : []),
    ...(actions.length > 0 ? [['div', { class: 'form actions' }, ...actions] satisfies Markup] : []),
  ];
}

/** Of an item of a list, its text. */
function sampleText(value: unknown): string {
  return typeof value === 'object' ? Object.values(value ?? {}).join(', ') : String(value);
}

/** The text of a sample value that has no control, as the page has it. */
function wordsOf({ type, choices }: FormField['control'], text: string): string {
  if (type === 'checkbox') return text === 'true' ? '✓' : '✗';
  return choices.find(({ value }) => value === text)?.label ?? text;
}

interface Images {
  cover?: string;
  logo?: string;
  logoDark?: string;
  logoAlt?: string;
}

/** The images above a form. */
export function imagesOf(
  { cover, logo, logoDark: dark, logoAlt: alt = '' }: Images,
  scheme: Required<Theme>['scheme'],
): Markup[] {
  const images: Markup[] = [];
  if (cover) images.push(['img', { class: 'cover', src: cover, alt: '' }]);
  if (logo) images.push(imageMarkup({ class: 'logo', src: logo, alt, dark }, scheme));
  return images;
}

function heading(title: string, description: string): Markup[] {
  const element: Markup = ['h2', {}, title];
  return description ? [element, ['p', { class: 'text' }, ...marked(description)]] : [element];
}
