import { browserKind } from '#src/core/fields/base/browser-kinds.ts';
import { type ConditionalField, fieldStates, pagesOf } from '#src/core/fields/conditions.ts';
import { buttonsMarkup, progressContent, progressMarkup, stepMarkup } from '#src/features/display/form-steps.ts';
import { isMany, problemsIn, sayer } from './checks.ts';
import { toDom } from './dom.ts';
import type { Control } from './problems.ts';
import style from './steps.css?inline';
import type { Steps, StepsData, StepTools } from './steps-loader.ts';

// The module of `/embed/v1-steps.js`: a form with conditions or pages. `data-off` marks what does
// not count now; the service has set it for the first texts of the form.

/** Starts a form of the service, or one of a site that marks its fields with `data-field`. */
export function start(form: HTMLFormElement, { fields, pages, texts }: StepsData, tools: StepTools): Steps {
  const say = sayer(form, texts);
  const elements = elementsByKey(form);
  if (pages) arrange(form, fields, elements, { pages, texts });
  // A form of a site may have such names for something else.
  const isOwn = form.hasAttribute('data-thanks');
  if (!isOwn) hideIn(form.getRootNode() as Document | ShadowRoot);
  const steps = isOwn ? [...form.querySelectorAll<HTMLElement>('[data-step]')] : [];
  const progress = form.querySelector<HTMLElement>('.progress');
  let current = steps.find((step) => !step.matches('[data-off]')) ?? steps[0];
  let shown: HTMLElement[] = [];
  let required: ReadonlySet<string> = new Set();

  for (const words of form.querySelectorAll('[data-when]')) words.remove();
  for (const element of form.querySelectorAll('[aria-describedby*="-when-"]')) {
    tools.describeWithout(element, /\S*-when-\S* ?/g);
  }

  /** A form of a site may mark only the fields with conditions, and not those that they name. */
  function controlsOfField(key: string): Control[] {
    const own = elements.get(key)?.flatMap((element) => [...controlsIn(element)]);
    return own ?? ([...form.elements] as Control[]).filter(({ name }) => NAME.exec(name)?.slice(1).includes(key));
  }

  function refresh(): void {
    const values = fields.map(({ key, kind }) => [key, browserKind(kind).readTexts(textsOf(controlsOfField(key)))]);
    const states = fieldStates(fields, Object.fromEntries(values));
    required = states.required;
    for (const { key } of fields) {
      for (const element of elements.get(key) ?? []) {
        set(element, !states.shown.has(key));
        require(element, required.has(key));
        for (const control of controlsIn(element)) control.disabled = !states.shown.has(key);
      }
    }
    if (steps.length === 0) return;
    shown = steps.filter((step) => step.querySelector('[name=email],[data-field]:not([data-off],span)'));
    if (current && !shown.includes(current)) current = shown[0];
    const place = current ? shown.indexOf(current) : 0;
    for (const step of steps) set(step, step !== current);
    for (const button of form.querySelectorAll<HTMLElement>('.steps > *')) {
      const { go } = button.dataset;
      const isLast = place === shown.length - 1;
      set(button, go === 'previous' ? place === 0 : isLast === (go === 'next'));
    }
    form.parentElement?.toggleAttribute('data-later', place > 0);
    if (!progress) return;
    set(progress, shown.length < 2);
    const position = { page: place + 1, pages: shown.length };
    const text = say('pageOf', position);
    if (progress.textContent !== text) progress.replaceChildren(...toDom(progressContent(text, position)));
  }

  function go(by: 1 | -1): void {
    const next = current && shown[shown.indexOf(current) + by];
    if (!next) return;
    current = next;
    refresh();
    (current.querySelector<HTMLElement>(':scope > [tabindex]') ?? progress)?.focus();
  }

  const isIn = (part: Element | undefined, { path }: { path: string }): boolean =>
    [...(part?.querySelectorAll<Control>('[name]') ?? [])].some(({ name }) => name === path);

  const self: Steps = {
    next() {
      if (!current || current === shown.at(-1)) return false;
      tools.clearProblems(current);
      const problems = self.problems().filter((problem) => isIn(current, problem));
      if (problems.length > 0) tools.showProblems(form, problems);
      else go(1);
      return true;
    },

    open(control) {
      const step = steps.find((one) => one.contains(control));
      if (!step) return;
      current = step;
      refresh();
    },

    problems() {
      return problemsIn(form, texts, (control) =>
        required.has(control.closest<HTMLElement>('[data-field]')?.dataset.field ?? ''),
      );
    },
  };

  form.addEventListener('input', refresh);
  form.addEventListener('change', refresh);
  form.addEventListener('reset', () =>
    setTimeout(() => {
      current = steps[0];
      refresh();
    }),
  );
  // The browser fills in the form again after the page was left.
  addEventListener('pageshow', refresh);
  form.addEventListener('click', ({ target }) => {
    const { go: where } = (target as Element).closest<HTMLElement>('[data-go]')?.dataset ?? {};
    if (where === 'next') self.next();
    if (where === 'previous') go(-1);
  });
  // The summary of a page that was answered links to the fields.
  form.parentElement?.querySelector('.summary')?.addEventListener('click', ({ target }) => {
    const field = form.querySelector(`[id="${(target as HTMLAnchorElement).hash?.slice(1)}"]`);
    if (field) self.open(field);
  });
  refresh();
  return self;
}

/** The styles of an embedded form, which is not shown yet. */
export function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}

/** Puts the fields of an embedded form on their pages, before it is shown. */
function arrange(
  form: HTMLFormElement,
  fields: readonly (ConditionalField & { page?: number | undefined })[],
  elements: ReadonlyMap<string, readonly HTMLElement[]>,
  { pages = [], texts }: Pick<StepsData, 'pages' | 'texts'>,
): void {
  const places = pagesOf(fields);
  const numbers = [...new Set([1, ...places])];
  const send = form.querySelector(':scope > button:last-child');
  if (numbers.length === 1 || !send) return;
  const steps = numbers.map((page) => {
    const own = pages.find((one) => one.page === page);
    const [step] = toDom([stepMarkup({ title: undefined, ...own, page }, page === 1, 'h3')]) as [Element];
    const ofPage = fields.flatMap(({ key }, index) => (places[index] === page ? (elements.get(key) ?? []) : []));
    step.append(...(page === 1 ? [form.querySelector('[name=email]')?.closest('.field') ?? ''] : []), ...ofPage);
    return step;
  });
  form.prepend(...toDom([progressMarkup('', { page: 1, pages: 0 })]), ...steps);
  const [buttons] = toDom([
    buttonsMarkup({
      previous: String(texts.previousPage),
      next: String(texts.nextPage),
      isFirst: true,
      isLast: false,
      send: ['span', {}],
    }),
  ]) as [Element];
  buttons.lastElementChild?.replaceWith(send);
  form.append(buttons);
}

/** A field may have several elements, such as a label for each of its radio buttons. */
function elementsByKey(form: HTMLFormElement): Map<string, HTMLElement[]> {
  const elements = new Map<string, HTMLElement[]>();
  for (const element of form.querySelectorAll<HTMLElement>('[data-field]')) {
    const { field = '' } = element.dataset;
    elements.set(field, [...(elements.get(field) ?? []), element]);
  }
  return elements;
}

/** The names of a field: `data[key]`, `data.key` and `key`, each also with `[]` (spec 4.5). */
const NAME = /^(?:data\[(\w+)\]|data\.(\w+)|(?!email$)(\w+))(?:\[\])?$/;

let hiding: CSSStyleSheet | undefined;

/** Hides what does not count, whatever `display` the style sheet of a site gives its elements. */
function hideIn(root: Document | ShadowRoot): void {
  if (!hiding) {
    hiding = new CSSStyleSheet();
    hiding.replaceSync('[data-user-collection] [data-field][data-off]{display:none!important}');
  }
  if (!root.adoptedStyleSheets.includes(hiding)) root.adoptedStyleSheets.push(hiding);
}

function set(element: HTMLElement, isOff: boolean): void {
  if (element.hasAttribute('data-off') !== isOff) element.toggleAttribute('data-off', isOff);
  // The element of a field that nobody sees is always hidden.
  if (element.tagName !== 'SPAN' && element.hidden !== isOff) element.hidden = isOff;
  // A site may hide an element until the script has loaded.
  if (!isOff && element.style.display === 'none') element.style.display = '';
}

const controlsIn = (element: Element): NodeListOf<Control> => element.querySelectorAll('input,select,textarea');

/** The texts that the form sends of a field that counts. */
function textsOf(controls: readonly Control[]): string[] {
  return controls.flatMap((control) => {
    const isUnticked = control.matches('[type=checkbox],[type=radio]') && !(control as HTMLInputElement).checked;
    if (isUnticked || control.name === '') return [];
    return 'selectedOptions' in control ? [...control.selectedOptions].map(({ value }) => value) : [control.value];
  });
}

function require(element: Element, isRequired: boolean): void {
  for (const control of controlsIn(element)) {
    if (control.type === 'hidden' || isMany(control)) continue;
    // Files that have arrived are entries without the control.
    const hasFiles = control.type === 'file' && element.querySelector('[type=hidden]:enabled,[data-kept] :checked');
    control.required = isRequired && !hasFiles;
  }
  if (element.matches('[role=radiogroup]')) element.setAttribute('aria-required', String(isRequired));
  element.querySelector('.mark')?.toggleAttribute('data-off', !isRequired);
}
