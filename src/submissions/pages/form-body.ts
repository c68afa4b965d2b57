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

/** A problem of a form, with the id of the control that has it, if one is shown. */
interface Problem {
  at?: string;
  text: string;
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

/** The problems: one for each shown control, then those without a control, then files. */
function problemsOf({ issues = [], sent }: FormView, fields: readonly FormField[]): Problem[] {
  const shown = fields.filter((field) => !isHidden(field));
  const atFields = shown.flatMap((field): Problem[] => {
    const first = issues.find((issue) => isAt(issue, field));
    return first ? [{ at: field.id, text: `${field.control.label}: ${first.message}` }] : [];
  });
  const keys = new Set(fields.slice(1).map(({ control }) => control.key));
  const unknown = [...(sent?.data.keys() ?? [])].filter((key) => !keys.has(key));
  const others = issues.flatMap((issue): Problem[] => {
    if (shown.some((field) => isAt(issue, field))) return [];
    const { path, message } = issue;
    const key = unknown.find((one) => problemOf(one, [issue]) !== undefined);
    if (key !== undefined) return [{ at: refusedId(key), text: `${key}: ${message}` }];
    return [{ text: path === '' ? message : `${path}: ${message}` }];
  });
  const files = [...new Set(sent?.files)]
    .slice(0, MAX_ISSUES)
    .map((name) => ({ text: `${name}: the file is left out` }));
  return [...atFields, ...others, ...files];
}

/** It receives the focus when the page is shown, so that a screen reader begins with it. */
function summaryHtml(view: FormView, problems: readonly Problem[]): string {
  const { status, message } = view.refusal ?? { status: 400, message: '' };
  const { title, text } = adviceFor(status, message);
  const items = problems.map(({ at, text: problem }) =>
    at === undefined ? html`<li>${problem}</li>` : html`<li><a href="#${at}">${problem}</a></li>`,
  );
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
  const id = refusedId(key);
  const text = entries.map(([, value]) => value.replace(/\r\n?/g, '\n')).join('\n');
  const rows = Math.min(text.split('\n').length, 5);
  return [
    'div',
    { class: 'field' },
    ['label', { for: id }, key],
    ['p', { class: PROBLEM_CLASS }, `${sentence(problem)}; it is not sent again.`],
    ['textarea', { id, readonly: true, rows }, text],
  ];
}

/** Unlike the ids of fields (`email`, `data-…`). A key may contain any character. */
const refusedId = (key: string): string => `refused-${Buffer.from(key).toString('hex')}`;
