import { html } from 'ghtml';
import { choiceOf } from '../../core/fields/base/choices.ts';
import { printable } from '../../core/fields/base/kind.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { type Language, languageOf } from '../../platform/languages/languages.ts';
import { type Issue, MAX_ISSUES, say } from '../../platform/languages/reasons.ts';
import { MAX_LANGUAGES } from '../../platform/languages/tags.ts';
import { CHOICE_SEPARATOR, choicesIn } from '../../platform/text/choice-list.ts';
import { isDay } from '../../platform/text/iso-date.ts';
import { DECIMAL, isTime } from '../../platform/text/plain-texts.ts';
import { captchaElement } from '../display/captcha.ts';
import {
  buttonsMarkup,
  hasSteps,
  isShownStep,
  progressMarkup,
  type Step,
  stepMarkup,
  stepsOf,
  withStates,
} from '../display/form-steps.ts';
import { plainLabel } from '../display/marks.ts';
import {
  described,
  type FormField,
  fieldMarkup,
  formFields,
  hiddenInput,
  hints,
  honeypot,
  inputMarkup,
  isHidden,
  type Markup,
  PROBLEM_CLASS,
  requiredMark,
  sentence,
  withState,
} from '../display/markup.ts';
import { formControls as controlsOf, type FormControl, isTranslated } from '../display/presentation.ts';
import type { FormEntry, FormFile } from '../form-bodies/form-body.ts';
import { type FormSettings, isCaptchaProvider, offeredLanguages, pageTitles } from '../form-settings/form-settings.ts';
import { aroundContent, ownLanguage, ownLanguageAttributes, thanksPath, toHtml } from './page.ts';
import { filesData, pageData, pageDataWithDrafts, stepsData } from './script-data.ts';
import { adviceAfter, reasonIn, type ShownRefusal, titleOf } from './visitor-language.ts';

/** The public form of an app: its settings in force and the fields of its newest schema. */
export interface PublicForm {
  sourceAppId: string;
  settings: FormSettings;
  fields: readonly FieldDefinition[];
}

/** The entries of a form that was refused. */
export interface SentForm {
  email: string | undefined;
  /** The entries for `data` by key, under their names, in their order. */
  data: ReadonlyMap<string, readonly FormEntry[]>;
  /** Entries that are sent again without being shown: controls, and names without a meaning. */
  others: readonly FormEntry[];
  /** The names of the controls whose file was refused. */
  files: readonly string[];
  /** The files that have arrived, by their tokens. */
  kept?: ReadonlyMap<string, Pick<FormFile, 'name' | 'size'>>;
  /** What the form says of those files, if they are not of an earlier attempt. */
  keptText?: string;
}

/** The content of a page of a public form (spec 4.5). */
export interface FormView extends PublicForm {
  language: Language;
  /** Initial texts, by control name. */
  prefilled?: ReadonlyMap<string, readonly string[]>;
  /** The entries to show again. */
  sent?: SentForm;
  /** The problems of the entries, with paths such as `email` and `data.age`. */
  issues?: readonly Issue[];
  /** The reason of a refusal. */
  refusal?: ShownRefusal;
  /** The idempotency key of the next submission from this page. */
  key: string;
}

/**
 * The controls by the list of fields, of which the leases keep one per newest schema, so that a
 * schema with 100,000 choices does not cost every request.
 */
const controls = new WeakMap<readonly FieldDefinition[], Map<string, readonly FormControl[]>>();

/** The HTML of a control without a chosen value, and where the `value` of each choice ends. */
interface UnchosenHtml {
  markup: string;
  ends: ReadonlyMap<string, number>;
}

/** Of controls with many choices. */
const unchosen = new WeakMap<FormControl, UnchosenHtml>();

const MANY_CHOICES = 20;

/** The most choices of a form that is shown again after a refusal. */
const MAX_CHOICES_AGAIN = 5_000;

/** @param tag the language of the texts; fields without translations share one list */
export function formControls(fields: readonly FieldDefinition[], tag = ''): readonly FormControl[] {
  let byTag = controls.get(fields);
  if (!byTag) {
    byTag = new Map();
    controls.set(fields, byTag);
  }
  const known = byTag.get(tag);
  if (known) return known;
  const described =
    tag === '' || fields.some(isTranslated)
      ? controlsOf(fields, tag, tag === '' ? undefined : languageOf(tag).text)
      : formControls(fields);
  // The settings may change while the schema stays.
  if (byTag.size > 2 * MAX_LANGUAGES) byTag.clear();
  byTag.set(tag, described);
  return described;
}

/** @param fields with the choices of the entries, which may be more than those of the schema */
export function canShowAgain(fields: readonly FormField[]): boolean {
  const choices = fields.reduce((sum, { control }) => sum + control.choices.length, 0);
  return choices <= MAX_CHOICES_AGAIN;
}

/** Returns the HTML of a field. Many choices are written once, not for each request. */
export function fieldHtml(field: FormField): string {
  const { control, texts, problem } = field;
  if (control.type === 'list' && texts && texts.length > 1 && !isHidden(field))
    return toHtml([withState(field, listMarkup(field, texts))]);
  const isGroup = control.type === 'checkboxes';
  const isAbsent = isGroup && texts?.length === 0;
  const isOwn = problem !== undefined || isAbsent || (control.requiredIf && field.isRequired);
  if (isOwn || control.choices.length < MANY_CHOICES || isHidden(field)) {
    return toHtml([fieldMarkup(field)]);
  }
  if (field.isOff) return fieldHtml({ ...field, isOff: false }).replace(/^<\w+/, '$& data-off');
  let written = unchosen.get(control);
  if (written === undefined) {
    // A text that was joined from many parts is slow to read each time; this makes it one part.
    const markup = Buffer.from(toHtml([fieldMarkup({ ...field, texts: isGroup ? [''] : [] })])).toString();
    written = { markup, ends: choiceEnds(markup, control) };
    unchosen.set(control, written);
  }
  const initial = texts ?? (control.default === undefined ? [] : [control.default]);
  return withChoices(written, control, isGroup ? choicesIn(initial) : initial.slice(-1));
}

/** Values are escaped, so the attribute of each occurs once, in the order of the choices. */
function choiceEnds(markup: string, { choices }: FormControl): Map<string, number> {
  const ends = new Map<string, number>();
  let from = 0;
  for (const { value } of choices) {
    const attribute = html` value="${value}"`;
    const at = markup.indexOf(attribute, from);
    if (value === '' || at < 0) continue;
    from = at + attribute.length;
    ends.set(value, from);
  }
  return ends;
}

function withChoices({ markup, ends }: UnchosenHtml, { type }: FormControl, chosen: readonly string[]): string {
  const places = chosen.flatMap((value) => ends.get(value) ?? []).sort((one, other) => one - other);
  const attribute = type === 'select' ? ' selected' : ' checked';
  const starts = [0, ...places];
  return starts.map((start, index) => markup.slice(start, places[index])).join(attribute);
}

/** An input for each of several items. The service checks whether a required list has one. */
function listMarkup(field: FormField, texts: readonly string[]): Markup {
  const { id, control } = field;
  const inputs = texts.map((text, index) => {
    const one = { ...field, id: index === 0 ? id : `${id}-${index}`, texts: [text] };
    const attributes = { ...described(field), 'aria-label': `${control.label} ${index + 1}`, required: false };
    return inputMarkup(one, attributes);
  });
  const legend: Markup = ['legend', {}, control.label, ...requiredMark(field)];
  return ['fieldset', { class: 'field' }, legend, ...hints(field), ...inputs];
}

/** A field, or the entries of a key that the schema does not have. */
type KeyOfPage = { field: FormField } | { key: string; entries: readonly FormEntry[] };

/** Returns a text with the choices that it names as the schema has them. */
function knownText(text: string, values: readonly string[], separator?: string): string {
  const parts = separator === undefined ? [text] : text.split(separator);
  return parts.map((part) => choiceOf(part, values)).join(separator);
}

function enteredTexts({ email, data }: SentForm, { id, control }: FormField): string[] {
  if (id === 'email') return email === undefined ? [] : [email];
  const texts = (data.get(control.key) ?? []).map(([, text]) => text);
  const { choices, type } = control;
  if (choices.length === 0) return texts;
  const values = choices.map(({ value }) => value);
  const separator = type === 'checkboxes' ? CHOICE_SEPARATOR : undefined;
  return texts.map((text) => knownText(text, values, separator));
}

/**
 * Returns the fields and the other keys in the order of the entries, so that a form that is sent
 * again with the same key has the same content. A field without an entry follows the one before it.
 */
function inOrderOfEntries(fields: readonly FormField[], sent: SentForm | undefined): KeyOfPage[] {
  if (!sent) return fields.map((field) => ({ field }));
  const [email, ...ofSchema] = fields;
  const places = new Map<string | undefined, KeyOfPage[]>([[undefined, email ? [{ field: email }] : []]]);
  for (const [key, entries] of sent.data) places.set(key, [{ key, entries }]);
  let before: string | undefined;
  for (const field of ofSchema) {
    const { key } = field.control;
    if (sent.data.has(key)) {
      places.set(key, [{ field }]);
      before = key;
    } else places.get(before)?.push({ field });
  }
  return [...places.values()].flat();
}

/** Returns the problem of a key that the schema does not have. */
function firstProblem(key: string, issues: readonly Issue[] = []): string | undefined {
  const place = `data.${printable(key)}`;
  return issues.find(({ path }) => path === place || path.startsWith(`${place}.`))?.message;
}

/** What browsers take for an email address. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d-]+(?:\.[a-z\d-]+)*$/i;

/**
 * Returns a control that shows a text and lets a person send it again: with an unknown choice, and
 * as a control for texts if browsers find an address wrong that the service may accept.
 */
function controlFor(control: FormControl, texts: readonly string[]): FormControl {
  const text = texts.at(-1) ?? '';
  const { type, choices } = control;
  if (type === 'checkboxes') {
    const unknown = new Set(choicesIn(texts));
    for (const { value } of choices) unknown.delete(value);
    return { ...control, choices: [...choices, ...[...unknown].map((value) => ({ value, label: value }))] };
  }
  if (text === '') return control;
  if (choices.length > 0 && !choices.some(({ value }) => value === text)) {
    return { ...control, choices: [...choices, { value: text, label: text }] };
  }
  const check = CHECKS[type];
  return !check || check(text) ? control : { ...control, type: 'text' };
}

/**
 * Whether browsers keep a text in a control of a type and send it. They remove texts that are not
 * numbers or dates from native controls.
 */
const CHECKS: Partial<Record<FormControl['type'], (text: string) => boolean>> = {
  url: isAddressOfPage,
  email: (text) => ADDRESS.test(text),
  number: (text) => DECIMAL.test(text),
  date: isDay,
  time: isTime,
};

function isAddressOfPage(text: string): boolean {
  return !/^\s|\s$/.test(text) && URL.canParse(text);
}

/** A problem of a form, with the id of the control that has it, if one is shown. */
interface Problem {
  at?: string;
  text: string;
}

/** @param listed the fields of the view, by {@link listFields} */
export function formBody(
  view: FormView,
  listed: readonly FormField[],
): { summary: string; form: string; hasSteps: boolean } {
  const fields = withStates(listed);
  const summary = view.refusal ? summaryHtml(view, listProblems(view, fields)) : '';
  return { summary, form: formHtml(view, fields), hasSteps: hasSteps(fields.map(({ control }) => control)) };
}

/** Returns the fields of a form with their texts and problems, and the choices of the entries. */
export function listFields({ fields, language, prefilled, sent, issues = [], refusal }: FormView): FormField[] {
  const keptOf = ({ type }: FormControl, texts: readonly string[]) => {
    if (type !== 'file' || !sent) return {};
    const files = texts.flatMap((token) => {
      const file = sent.kept?.get(token);
      return file ? [{ token, ...file }] : [];
    });
    return { kept: { text: sent.keptText ?? language.text('keptFiles'), files } };
  };
  return formFields(formControls(fields, language.tag), language.text('email')).map((field) => {
    if (!refusal && !sent) return prefilledField(field, prefilled?.get(field.name));
    // A form with entries shows them, and no default in place of an empty one.
    const texts = sent ? enteredTexts(sent, field) : [];
    const problem = issues.find((issue) => isAt(issue, field))?.message;
    const control = field.id === 'email' ? field.control : controlFor(field.control, texts);
    // Nobody can correct what is not shown.
    if (problem === undefined || !isHidden(field))
      return { ...field, control, texts, problem, ...keptOf(control, texts) };
    const { source: _, ...shown } = control;
    return { ...field, control: { ...shown, hidden: false }, texts, problem };
  });
}

/** A link may have a text that the control of its field does not show. */
function prefilledField(field: FormField, texts: readonly string[] | undefined): FormField {
  const text = texts?.at(-1) ?? '';
  const isKept = CHECKS[field.control.type]?.(text) ?? true;
  if (isKept || text === '') return { ...field, texts };
  return { ...field, control: { ...field.control, type: 'text' }, texts };
}

/** `data.visits.0.page` is a place in the field `visits`. */
function isAt({ path }: Issue, { id, control }: FormField): boolean {
  const place = id === 'email' ? 'email' : `data.${control.key}`;
  return path === place || path.startsWith(`${place}.`);
}

/** The problems: one for each shown control, then those without a control, then files. */
export function listProblems(
  { issues = [], sent, language }: Pick<FormView, 'issues' | 'sent' | 'language'>,
  fields: readonly FormField[],
): Problem[] {
  const shown = fields.filter((field) => !isHidden(field));
  const atFields = shown.flatMap((field): Problem[] => {
    const first = issues.find((issue) => isAt(issue, field));
    return first ? [{ at: field.id, text: `${plainLabel(field.control)}: ${first.message}` }] : [];
  });
  const keys = new Set(fields.slice(1).map(({ control }) => control.key));
  const unknown = [...(sent?.data.keys() ?? [])].filter((key) => !keys.has(key));
  const others = issues.flatMap((issue): Problem[] => {
    if (shown.some((field) => isAt(issue, field))) return [];
    const { path, message } = issue;
    const key = unknown.find((one) => firstProblem(one, [issue]) !== undefined);
    if (key !== undefined) return [{ at: refusedId(key), text: `${key}: ${message}` }];
    return [{ text: path === '' ? message : `${path}: ${message}` }];
  });
  const files = [...new Set(sent?.files)]
    .slice(0, MAX_ISSUES)
    .map((name) => ({ text: language.text('fileLeftOut', { name }) }));
  return [...atFields, ...others, ...files];
}

/**
 * Returns what a page says of a refusal. It receives the focus, so that a screen reader begins with
 * it.
 * @param texts of the page, where those of a form do not fit
 */
export function summaryHtml(
  view: Pick<FormView, 'language' | 'refusal' | 'issues'>,
  problems: readonly Problem[],
  texts: { title?: string; advice?: string } = {},
): string {
  const { language, refusal = { status: 400, ...say('invalidSubmission') } } = view;
  const { title = titleOf(language, refusal), advice = adviceAfter(refusal, language) } = texts;
  const items = problems.map(({ at, text: problem }) =>
    at === undefined ? html`<li>${problem}</li>` : html`<li><a href="#${at}">${problem}</a></li>`,
  );
  const list = items.length > 0 ? html`<ul>!${items}</ul>` : '';
  // The message of invalid entries says less than the list of them.
  const isSaid = (view.issues ?? []).length > 0 || texts.advice !== undefined;
  const known = isSaid ? undefined : reasonIn(language, refusal);
  const reason = known === undefined ? list : html`<p>${statement(known, language)}</p>!${list}`;
  return html`<div class="note summary" role="alert" tabindex="-1" autofocus!${ownLanguage(language)}>
<h2>${title}</h2>
!${reason}
<p>${advice}</p>
</div>
`;
}

function formHtml(view: FormView, fields: readonly FormField[]): string {
  const { sourceAppId, settings, language, key, sent } = view;
  // What follows is in the language of this page, whatever the browser prefers.
  const hasLanguages = offeredLanguages(settings).length > 1;
  const own: FormEntry[] = [['_key', key], ...(hasLanguages ? [['_lang', language.tag] as FormEntry] : [])];
  const hidden = [...own, ...(sent?.others ?? [])].map(([name, value]) => hiddenInput(name, value));
  const label = settings.submitLabel;
  const button: Markup =
    label === undefined ? ['button', ownLanguageAttributes(language), language.text('send')] : ['button', {}, label];
  const thanks = thanksPath(sourceAppId, hasLanguages ? { lang: language.tag } : {});
  const keyHtml = (one: KeyOfPage): string => {
    if ('field' in one) return fieldHtml(one.field);
    const problem = firstProblem(one.key, view.issues);
    return toHtml(
      problem === undefined
        ? one.entries.map(([name, value]) => hiddenInput(name, value))
        : [refusedMarkup(one, problem, language)],
    );
  };
  const keys = inOrderOfEntries(fields, sent);
  const steps = stepsOf(fields, pageTitles(settings, language.tag)) ?? [];
  const paged = stepsHtml(steps, keys, keyHtml, language);
  const controls = formControls(view.fields, language.tag);
  const conditions = stepsData(controls, language);
  const steered = conditions === undefined ? '' : html` data-steps="${conditions}"`;
  const page = (settings.drafts === false ? pageData : pageDataWithDrafts)(controls, language);
  const files = filesData(controls, language);
  const encoded = files === undefined ? '' : html` enctype="multipart/form-data" data-files="${files}"`;
  return html`<form class="form" method="post" action="/v1/forms/${sourceAppId}" data-user-collection="${sourceAppId}" data-thanks="${thanks}" data-not-sent="${language.text('notSent')}" data-page="${page}"!${steered}!${encoded}>
!${toHtml(hidden)}
!${paged ?? keys.map(keyHtml).join('\n')}
!${settings.botProtection === 'off' ? '' : toHtml([honeypot(language.text('leaveEmpty'))])}
!${captchaHtml(settings)}!${toHtml([paged === undefined ? button : buttonsOf(steps, button, language)])}
</form>`;
}

export function captchaHtml({ botProtection, captcha }: FormSettings): string {
  if (!captcha || !isCaptchaProvider(botProtection)) return '';
  return `${toHtml([captchaElement(botProtection, captcha.siteKey)])}\n`;
}

/** The page that is open at first: the first one with a problem. */
function openStep(steps: readonly Step[]): Step | undefined {
  const hasProblem = ({ fields }: Step): boolean => fields.some(({ problem }) => problem !== undefined);
  return steps.find(hasProblem) ?? steps.find(isShownStep);
}

/**
 * Returns the pages of a form. Undefined without pages, and for entries in another order, which a
 * form that is sent again with the same key has to keep.
 */
function stepsHtml(
  steps: readonly Step[],
  keys: readonly KeyOfPage[],
  keyHtml: (one: KeyOfPage) => string,
  language: Language,
): string | undefined {
  const pageOf = new Map(steps.flatMap(({ page, fields }) => fields.map(({ id }) => [id, page] as const)));
  let last = steps[0]?.page;
  const pages = keys.map((one) => {
    last = ('field' in one && pageOf.get(one.field.id)) || last;
    return last;
  });
  const isInOrder = pages.every((page = 0, index) => page >= (pages[index - 1] ?? 0));
  if (steps.length === 0 || !isInOrder) return undefined;
  const shown = steps.filter(isShownStep);
  const open = openStep(steps);
  const position = { page: open ? shown.indexOf(open) + 1 : 1, pages: shown.length };
  const parts = steps.map((step) => {
    const [start, end] = aroundContent(stepMarkup(step, step === open, 'h2'));
    return [start, ...keys.filter((_, index) => pages[index] === step.page).map(keyHtml), end].join('\n');
  });
  return [
    toHtml([progressMarkup(language.text('pageOf', position), position, ownLanguageAttributes(language))]),
    ...parts,
  ].join('\n');
}

function buttonsOf(steps: readonly Step[], send: Markup, language: Language): Markup {
  const shown = steps.filter(isShownStep);
  const open = openStep(steps);
  const state = { isFirst: open === shown[0], isLast: open === shown.at(-1) };
  const texts = { previous: language.text('previousPage'), next: language.text('nextPage') };
  return buttonsMarkup({ ...texts, ...state, send, own: ownLanguageAttributes(language) });
}

/** Refused entries: shown, so that none is lost, and without a name, so that none is sent. */
function refusedMarkup(
  { key, entries }: Extract<KeyOfPage, { key: string }>,
  problem: string,
  language: Language,
): Markup {
  const id = refusedId(key);
  const text = entries.map(([, value]) => value.replace(/\r\n?/g, '\n')).join('\n');
  const rows = Math.min(text.split('\n').length, 5);
  return [
    'div',
    { class: 'field' },
    ['label', { for: id }, key],
    ['p', { class: PROBLEM_CLASS }, language.text('notSentAgain', { problem: sentence(problem) })],
    ['textarea', { id, readonly: true, rows }, text],
  ];
}

/** Unlike the ids of fields (`email`, `data-…`). A key may contain any character. */
const refusedId = (key: string): string => `refused-${Buffer.from(key).toString('hex')}`;

export function statement(message: string, { own }: Language): string {
  if (/[.!?。]$/.test(message)) return sentence(message);
  return `${sentence(message)}${own === 'ja' || own === 'zh' ? '。' : '.'}`;
}
