import { html } from 'ghtml';
import { type FieldDefinition, holdsFiles } from '../../core/fields/definition.ts';
import { isFile } from '../../core/fields/kinds/file.ts';
import { getKind } from '../../core/fields/kinds/registry.ts';
import type { Language } from '../../platform/languages/languages.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import { withStates } from '../display/form-steps.ts';
import { labelNodes } from '../display/marks.ts';
import { type FormField, hiddenInput, isHidden, type Markup, withState } from '../display/markup.ts';
import { choiceLabels } from '../display/presentation.ts';
import { isClosed } from '../form-settings/form-settings.ts';
import {
  canShowAgain,
  type FormView,
  fieldHtml,
  formControls,
  listFields,
  listProblems,
  type PublicForm,
  summaryHtml,
} from '../forms/form-html.ts';
import type { KnownFiles } from '../forms/form-submission.ts';
import { ownLanguage, ownLanguageAttributes, toHtml } from '../forms/page.ts';
import { filesData, pageData, stepsData } from '../forms/script-data.ts';
import type { ShownRefusal } from '../forms/visitor-language.ts';
import type { OpenedEntry } from './entries.service.ts';
import { ACTIONS, CONTROLS, digestsOfControls, storedTexts, type Texts, writeDigests } from './entry-form.ts';

/** A page that shows an entry. */
export interface EntryView {
  form: PublicForm;
  entry: OpenedEntry;
  language: Language;
  /** The path of the page. */
  action: string;
}

/** What a person typed, for a page after a save that stored nothing. */
export interface Typed {
  texts: Texts;
  known: KnownFiles;
  issues: readonly Issue[];
  refusal: ShownRefusal;
  /** Whether the record has changed since the page showed it. */
  isOutdated: boolean;
}

const NO_TEXTS: Texts = new Map();

/**
 * Returns the fields of the form with the stored values, where `typed` has none, and without the
 * email.
 */
function fieldsOf({ form, entry, language }: EntryView, typed?: Typed): FormField[] {
  const { texts = NO_TEXTS, known = new Map() } = typed ?? {};
  const kept = new Map<string, { name: string; size: number }>(known);
  const data = new Map<string, [string, string][]>();
  for (const field of form.fields) {
    const { key } = field;
    const value = Object.hasOwn(entry.data, key) ? entry.data[key] : undefined;
    if (holdsFiles(field) && Array.isArray(value)) for (const file of value.filter(isFile)) kept.set(file.id, file);
    const shown = texts.get(key) ?? storedTexts(field, value);
    data.set(
      key,
      shown.map((text) => [`data[${key}]`, text]),
    );
  }
  const sent = { email: entry.email, data, others: [], files: [], kept, keptText: language.text('entryFiles') };
  return [...withStates(listFields({ ...form, language, sent, issues: typed?.issues ?? [], key: '' }))].slice(1);
}

/** The controls of an entry with its stored values, and the fields that are shown as texts. */
function sortFields(view: EntryView) {
  const { form, entry, language } = view;
  const stored = fieldsOf(view);
  const changeable = new Set(entry.fields);
  const known = formControls(form.fields, language.tag);
  const isControl = (field: FormField): boolean => {
    // A value that is none of very many choices would need a copy of them.
    const isShort = canShowAgain([field]) || known.includes(field.control);
    return changeable.has(field.control.key) && !isHidden(field) && isShort;
  };
  const controls = stored.filter(isControl);
  return { stored, controls, keys: new Set(controls.map(({ control }) => control.key)) };
}

/** Returns the digests of the stored values that the page of an entry shows in controls. */
export function storedDigests(view: EntryView): Map<string, string> {
  return digestsOfControls(view.entry, sortFields(view).controls);
}

/**
 * Returns the HTML of an entry: what is stored about the person, and the form that changes it.
 * Undefined: a form with so many choices is not shown with what was typed.
 */
export function entryHtml(
  view: EntryView,
  { typed, isSaved = false }: { typed?: Typed; isSaved?: boolean },
): { main: string; hasForm: boolean; hasSteps: boolean } | undefined {
  const { entry, language, action } = view;
  const { text } = language;
  const { stored, controls, keys } = sortFields(view);
  const fields = typed ? fieldsOf(view, typed) : stored;
  if (typed && !canShowAgain(fields)) return undefined;
  const digests = writeDigests(digestsOfControls(entry, controls));
  const form = keys.size > 0 ? formHtml(view, fields, keys, digests) : { html: '', hasSteps: false };
  const buttons = [
    ...(entry.own.export ? [actionButton(language, ACTIONS.download, text('entryDownload'))] : []),
    ...(entry.own.erase ? [actionButton(language, ACTIONS.askErase, text('entryErase'))] : []),
  ];
  const actions = html`
<form class="form actions" method="post" action="${action}">!${toHtml(buttons)}</form>`;
  const note = isSaved
    ? html`<p class="note good" role="status"!${ownLanguage(language)}>${text('entrySaved')}</p>`
    : '';
  const main = [
    typed ? typedSummary(view, typed, fields) : note,
    valuesHtml(view, keys),
    form.html,
    consentsHtml(view),
    buttons.length > 0 ? actions : '',
  ];
  return { main: main.join('\n'), hasForm: keys.size > 0, hasSteps: form.hasSteps };
}

const actionButton = (language: Language, action: string, text: string): Markup => [
  'button',
  { ...ownLanguageAttributes(language), name: CONTROLS.action, value: action, class: 'plain' },
  text,
];

function typedSummary({ language }: EntryView, typed: Typed, fields: readonly FormField[]): string {
  const { text } = language;
  const { issues, refusal, isOutdated } = typed;
  const view: Pick<FormView, 'language' | 'refusal' | 'issues'> = { language, refusal, issues };
  const problems = listProblems(view, fields);
  const texts = isOutdated ? { title: text('entryChangedTitle'), advice: text('entryChanged') } : {};
  return summaryHtml(view, problems, { advice: text('entryCorrect'), ...texts });
}

function formHtml(view: EntryView, fields: readonly FormField[], keys: ReadonlySet<string>, digests: string) {
  const { form, entry, language, action } = view;
  const { sourceAppId, settings } = form;
  const controls = formControls(form.fields, language.tag);
  const conditions = stepsData(controls, language);
  const files = fields.filter(({ control }) => control.type === 'file' && keys.has(control.key));
  // The script sends a file before its form, which a closed form refuses.
  const scripted = files.length > 0 && !isClosed(settings) ? filesData(controls, language) : undefined;
  const attributes = [
    html` data-page="${pageData(controls, language)}"`,
    conditions === undefined ? '' : html` data-steps="${conditions}"`,
    files.length === 0 ? '' : ' enctype="multipart/form-data"',
    scripted === undefined ? '' : html` data-files="${scripted}"`,
  ].join('');
  const hidden = [
    hiddenInput(CONTROLS.action, ACTIONS.save),
    hiddenInput(CONTROLS.state, entry.etag),
    hiddenInput(CONTROLS.shown, digests),
    ...files.flatMap(({ kept }) => kept?.files ?? []).map(({ token }) => hiddenInput(CONTROLS.kept, token)),
  ];
  const button: Markup = ['button', ownLanguageAttributes(language), language.text('entrySave')];
  const shown = fields.map((field) => (keys.has(field.control.key) ? fieldHtml(field) : conditionHtml(field)));
  const own = html`<form class="form" method="post" action="${action}" data-entry data-user-collection="${sourceAppId}" data-thanks!${attributes}>
!${toHtml(hidden)}
!${shown.filter((one) => one !== '').join('\n')}
!${toHtml([button])}
</form>`;
  return { html: own, hasSteps: conditions !== undefined };
}

/**
 * The script evaluates conditions with the values of the form, also those that it cannot change.
 */
function conditionHtml(field: FormField): string {
  const { control, name, texts = [] } = field;
  if (control.kind === undefined) return '';
  return toHtml([withState(field, ['span', { hidden: true }, ...texts.map((text) => hiddenInput(name, text))])]);
}

interface Shown {
  label: string;
  value: string;
}

/** What is stored and has no control, under its labels. */
function valuesHtml({ form, entry, language }: EntryView, keys: ReadonlySet<string>): string {
  const { text } = language;
  const time = (at: Date): string => language.dateTime(at, form.settings.timeZone ?? 'UTC');
  const own: Shown[] = [
    { label: html`${text('email')}`, value: entry.email },
    { label: html`${text('entryCreated')}`, value: time(entry.createdAt) },
    { label: html`${text('entryUpdated')}`, value: time(entry.updatedAt) },
  ];
  const controls = formControls(form.fields, language.tag);
  const values = form.fields.flatMap((field, index): Shown[] => {
    const control = controls[index];
    if (!control || keys.has(field.key)) return [];
    const value = valueInWords(field, entry.data[field.key], { form, language });
    return value === '' ? [] : [{ label: toHtml(labelNodes(control)), value }];
  });
  const items = (list: readonly Shown[], attributes: string): string =>
    list
      .map(
        ({ label, value }) => html`
<dt!${attributes}>!${label}</dt>
<dd class="text" dir="auto">${value}</dd>`,
      )
      .join('');
  return html`<dl>!${items(own, ownLanguage(language))}!${items(values, '')}
</dl>`;
}

/** The items of a list that a page shows. The download has all. */
const MAX_ITEMS = 100;
/** In every language. */
const BOOLEANS = { true: '✓', false: '✗' };

/** Returns a stored value as text; empty without one. */
export function valueInWords(
  field: FieldDefinition,
  value: unknown,
  { form, language }: Pick<EntryView, 'form' | 'language'>,
): string {
  if (value === undefined || value === null) return '';
  const labels = choiceLabels(
    formControls(form.fields, language.tag).find(({ key }) => key === field.key) ?? NO_CHOICES,
  );
  const name = (one: unknown): string => labels.get(one) ?? plain(one);
  const words = getKind(field.kind).inWords(value, {
    boolean: (one) => BOOLEANS[`${one}`],
    dateTime: (at) => language.dateTime(at, form.settings.timeZone ?? 'UTC'),
    name,
    items: listText,
  });
  return words ?? name(value);
}

const NO_CHOICES = { choices: [] };

/** Newest first. */
function listText(items: readonly unknown[]): string {
  const shown = items.slice(-MAX_ITEMS).reverse().map(itemText);
  const rest = items.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… +${rest}`] : [])].join('\n');
}

/** Items are stored as objects with a `timestamp`; a sent scalar is in `value`. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return plain(item);
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  const [only, ...others] = Object.keys(rest);
  return only === 'value' && others.length === 0 ? plain(rest.value) : JSON.stringify(rest);
}

function plain(value: unknown): string {
  if (typeof value === 'boolean') return BOOLEANS[`${value}`];
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}

/** The last change of each consent, with its time. */
function consentsHtml({ form, entry, language }: EntryView): string {
  const last = new Map(entry.consents.map((one) => [one.key, one]));
  if (last.size === 0) return '';
  const items = [...last.values()].map(({ label, given, at }) => {
    const time = language.dateTime(new Date(at), form.settings.timeZone ?? 'UTC');
    return html`
<dt>!${toHtml(labelNodes({ type: 'checkbox', label }))}</dt>
<dd class="text"!${ownLanguage(language)}>${language.text(given ? 'consentGiven' : 'consentWithdrawn', { time })}</dd>`;
  });
  return html`<section class="consents"><h2!${ownLanguage(language)}>${language.text('entryConsents')}</h2><dl>!${items.join('')}
</dl></section>`;
}
