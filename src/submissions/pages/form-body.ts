import { html } from 'ghtml';
import type { FormEntry } from '../../api/body/form-entries.ts';
import { type Issue, MAX_ISSUES } from '../../core/errors.ts';
import { PROBLEM_CLASS, sentence } from '../../fields/markup/field-markup.ts';
import { type FormField, formFields, isHidden } from '../../fields/markup/form-field.ts';
import { HONEYPOT } from '../../fields/markup/honeypot.ts';
import type { Markup } from '../../fields/markup/markup.ts';
import { adviceFor, statement } from './advice.ts';
import { controlsOf, fieldHtml } from './controls.ts';
import { controlFor, inOrderOfEntries, type KeyOfPage, problemOf, textsOf } from './entries.ts';
import type { FormView } from './form-view.ts';
import { ownLanguage } from './locale.ts';
import { toHtml } from './to-html.ts';

/** The problems of a form: those of its fields, and those that no shown field has. */
interface Problems {
  atFields: readonly { field: FormField; message: string }[];
  others: readonly string[];
}

/** Returns the HTML of a form with its entries, and the summary of its problems. */
export function formBody(view: FormView): { summary: string; form: string } {
  const fields = fieldsOf(view);
  return { summary: view.refusal ? summaryHtml(view, problemsOf(view, fields)) : '', form: formHtml(view, fields) };
}

function fieldsOf({ fields, prefilled, sent, issues = [], refusal }: FormView): FormField[] {
  return formFields(controlsOf(fields)).map((field) => {
    if (!refusal) return { ...field, texts: prefilled?.get(field.name) };
    // A form that comes back shows what was entered, and no default in the place of an empty entry.
    const texts = sent ? textsOf(sent, field) : [];
    const problem = issues.find((issue) => isAt(issue, field))?.message;
    // The email of the person is the same to browsers and to the service.
    const control = field.id === 'email' ? field.control : controlFor(field.control, texts);
    // Nobody can correct what is not shown.
    if (problem === undefined || !isHidden(field)) return { ...field, control, texts, problem };
    const { source: _, ...shown } = control;
    return { ...field, control: { ...shown, hidden: false }, texts, problem };
  });
}

/** `data.visits.0.page` is a place in the field `visits`. */
function isAt({ path }: Issue, { id, control }: FormField): boolean {
  const place = id === 'email' ? 'email' : `data.${control.key}`;
  return path === place || path.startsWith(`${place}.`);
}

function problemsOf(view: FormView, fields: readonly FormField[]): Problems {
  const { issues = [], sent } = view;
  const shown = fields.filter((field) => !isHidden(field));
  const atFields = shown.flatMap((field) => {
    const first = issues.find((issue) => isAt(issue, field));
    return first ? [{ field, message: first.message }] : [];
  });
  const others = issues.filter((issue) => !shown.some((field) => isAt(issue, field)));
  const files = [...new Set(sent?.files)].slice(0, MAX_ISSUES);
  return {
    atFields,
    others: [
      ...others.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
      ...files.map((name) => `${name}: the file is left out`),
    ],
  };
}

/** It receives the focus when the page is shown, so that a screen reader begins with it. */
function summaryHtml(view: FormView, { atFields, others }: Problems): string {
  const { status, message } = view.refusal ?? { status: 400, message: '' };
  const { title, text } = adviceFor(status, message);
  const links = atFields.map(
    ({ field, message: problem }) => html`<li><a href="#${field.id}">${field.control.label}: ${problem}</a></li>`,
  );
  const items = [...links, ...others.map((problem) => html`<li>${problem}</li>`)];
  const list = items.length > 0 ? html`<ul>!${items}</ul>` : '';
  // The message of invalid entries says less than the list of them.
  const isSaid = (view.issues ?? []).length > 0;
  const reason = isSaid ? list : html`<p>${statement(message)}</p>!${list}`;
  return html`<div class="note summary" role="alert" tabindex="-1" autofocus!${ownLanguage(view.settings.locale)}>
<h2>${title}</h2>
!${reason}
<p>${text}</p>
</div>
`;
}

function formHtml(view: FormView, fields: readonly FormField[]): string {
  const { sourceAppId, settings, key, sent } = view;
  const hidden = [['_key', key] as const, ...(sent?.others ?? [])].map(hiddenInput);
  const label = settings.submitLabel;
  const button =
    label === undefined ? html`<button!${ownLanguage(settings.locale)}>Send</button>` : html`<button>${label}</button>`;
  const keyHtml = (one: KeyOfPage): string => {
    if ('field' in one) return fieldHtml(one.field);
    const problem = problemOf(one.key, view.issues);
    return toHtml(problem === undefined ? one.entries.map(hiddenInput) : [refusedMarkup(one, problem)]);
  };
  return html`<form class="form" method="post" action="/v1/forms/${sourceAppId}" data-user-collection="${sourceAppId}" data-thanks="/f/${sourceAppId}/thanks">
!${toHtml(hidden)}
!${inOrderOfEntries(fields, sent).map(keyHtml).join('\n')}
!${settings.botProtection === 'off' ? '' : toHtml([HONEYPOT])}
!${button}
</form>`;
}

function hiddenInput([name, value]: FormEntry): Markup {
  return ['input', { type: 'hidden', name, value }];
}

/**
 * Entries of a key that the app refuses: shown, so that nothing is lost unseen, and without a name,
 * so that they are not sent again.
 */
function refusedMarkup({ key, entries }: Extract<KeyOfPage, { key: string }>, problem: string): Markup {
  const text = entries.map(([, value]) => value.replace(/\r\n?/g, '\n')).join('\n');
  return [
    'div',
    { class: 'field' },
    ['label', {}, key, ['textarea', { readonly: true, rows: Math.min(text.split('\n').length, 5) }, text]],
    ['p', { class: PROBLEM_CLASS }, `${sentence(problem)}; it is not sent again.`],
  ];
}
