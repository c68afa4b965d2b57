import { html } from 'ghtml';
import type { Issue } from '../../core/errors.ts';
import { type FormField, formFields, isHidden } from '../../fields/markup/form-field.ts';
import { HONEYPOT } from '../../fields/markup/honeypot.ts';
import type { Markup } from '../../fields/markup/markup.ts';
import { adviceFor, statement } from './advice.ts';
import { controlsOf, fieldHtml } from './controls.ts';
import { carriedEntries, textsOf } from './entries.ts';
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

function fieldsOf({ fields, entries, issues = [], refusal }: FormView): FormField[] {
  return formFields(controlsOf(fields)).map((field) => {
    const entered = entries && textsOf(entries, field);
    // A form that comes back shows what was entered, and no default in the place of an empty entry.
    const texts = entered ?? (refusal ? [] : undefined);
    return { ...field, texts, problem: issues.find((issue) => isAt(issue, field))?.message };
  });
}

/** `data.visits.0.page` is a place in the field `visits`. */
function isAt({ path }: Issue, { id, control }: FormField): boolean {
  const place = id === 'email' ? 'email' : `data.${control.key}`;
  return path === place || path.startsWith(`${place}.`);
}

function problemsOf({ issues = [] }: FormView, fields: readonly FormField[]): Problems {
  const shown = fields.filter((field) => !isHidden(field));
  const atFields = shown.flatMap((field) => {
    const first = issues.find((issue) => isAt(issue, field));
    return first ? [{ field, message: first.message }] : [];
  });
  const others = issues.filter((issue) => !shown.some((field) => isAt(issue, field)));
  return { atFields, others: others.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)) };
}

/** It receives the focus when the page is shown, so that a screen reader begins with it. */
function summaryHtml(view: FormView, { atFields, others }: Problems): string {
  const { status, message } = view.refusal ?? { status: 400, message: '' };
  const { title, text } = adviceFor(status);
  const links = atFields.map(
    ({ field, message: problem }) => html`<li><a href="#${field.id}">${field.control.label}: ${problem}</a></li>`,
  );
  const items = [...links, ...others.map((problem) => html`<li>${problem}</li>`)];
  const reason = items.length > 0 ? html`<ul>!${items}</ul>` : html`<p>${statement(message)}</p>`;
  return html`<div class="note summary" role="alert" tabindex="-1" autofocus!${ownLanguage(view.settings.locale)}>
<h2>${title}</h2>
!${reason}
<p>${text}</p>
</div>
`;
}

function formHtml(view: FormView, fields: readonly FormField[]): string {
  const { sourceAppId, settings, key } = view;
  const hidden: Markup[] = [
    ['input', { type: 'hidden', name: '_key', value: key }],
    ...carriedEntries(view, fields).map(([name, value]): Markup => ['input', { type: 'hidden', name, value }]),
  ];
  const label = settings.submitLabel;
  const button =
    label === undefined ? html`<button!${ownLanguage(settings.locale)}>Send</button>` : html`<button>${label}</button>`;
  return html`<form class="form" method="post" action="/v1/forms/${sourceAppId}" data-user-collection="${sourceAppId}" data-thanks="/f/${sourceAppId}/thanks">
!${toHtml(hidden)}
!${fields.map(fieldHtml).join('\n')}
!${settings.botProtection === 'off' ? '' : toHtml([HONEYPOT])}
!${button}
</form>`;
}
