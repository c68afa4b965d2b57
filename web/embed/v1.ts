import { embed } from './embed.ts';
import { startFiles } from './files-loader.ts';
import type { PageData } from './page.ts';
import { part } from './parts.ts';
import { checks } from './problems.ts';
import { challenge, OF_PAGE } from './send.ts';
import { definitionOf, formPath } from './service.ts';
import { startSteps, stepsOf } from './steps-loader.ts';
import { FORMS, watchForms } from './submits.ts';

// The script of `/embed/v1.js` (spec 4.5). It may be loaded anywhere in a page, and more than once.

const LOADED = 'userCollectionV1';

function start(): void {
  // A form that the service rendered: its problems are shown in the page, not by the browser.
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-thanks]')) form.noValidate = true;
  if (document.readyState !== 'loading') startForms();
  for (const host of document.querySelectorAll<HTMLElement>('[data-user-collection]:not(form)')) void embed(host);
}

/** The forms that were started. */
const started = new WeakSet<HTMLFormElement>();
const withFiles = new WeakSet<HTMLFormElement>();

/** Starts forms with pages or conditions, also those of a site that marks its fields. */
function startForms(place: ParentNode = document): void {
  for (const form of place.querySelectorAll<HTMLFormElement>(FORMS)) {
    const { files } = form.dataset;
    if (files && !withFiles.has(form)) {
      withFiles.add(form);
      startFiles(form, JSON.parse(files)).catch(() => undefined);
    }
    if (started.has(form)) continue;
    const { page } = form.dataset;
    const startPage = async (): Promise<void> => void (page && startHosted(form, JSON.parse(page)));
    if (!(form.dataset.steps || form.querySelector('[data-field]'))) {
      if (page) started.add(form);
      void startPage();
      continue;
    }
    started.add(form);
    const { steps, userCollection: app = '' } = form.dataset;
    const data = steps
      ? Promise.resolve(JSON.parse(steps))
      : definitionOf(formPath(app, form)).then(({ fields, steps: texts }) => ({ fields, texts }));
    void data
      .then((given) => given.texts && startSteps(form, given))
      // Without the module everything is shown, as without JavaScript.
      .catch(() => {
        delete form.dataset.steps;
        document.documentElement.removeAttribute(MARKS);
      })
      .then(startPage);
  }
}

/** Starts what only a form on a page of the service has. Without its module the form works too. */
function startHosted(form: HTMLFormElement, data: PageData): void {
  part('page').then(
    ({ start }) => {
      const { problems } = start(form, data, stepsOf(form)?.open);
      if (problems) checks.set(form, problems);
    },
    () => undefined,
  );
}

/** Prepares a form that somebody begins to fill in. */
function begin(event: Event): void {
  const [target] = event.composedPath();
  const form = (target as Element).closest?.<HTMLFormElement>(FORMS);
  if (!form || form.matches(OF_PAGE)) return;
  // Nothing else tells of a form in a shadow root of the site.
  const root = form.getRootNode();
  if (root instanceof ShadowRoot && watchForms(root)) startForms(root);
  // The texts of the form, so that it can say in its language that the service does not answer. It
  // rejects while the service is away.
  void definitionOf(formPath(form.dataset.userCollection as string, form)).then(
    ({ captcha }) => captcha && challenge(form, captcha),
    () => undefined,
  );
}

/** The attribute of a page of the service whose marks count (form.css). */
const MARKS = 'data-scripted';

if (!(LOADED in window)) {
  Object.assign(window, { [LOADED]: true });
  if (document.currentScript?.hasAttribute('data-marks')) document.documentElement.setAttribute(MARKS, '');
  document.addEventListener('DOMContentLoaded', () => startForms());
  watchForms(window);
  for (const type of ['focusin', 'click']) addEventListener(type, begin, true);
  start();
  // What the parser or another script adds or changes later. The language of a form is that of the
  // elements around it.
  new MutationObserver((changes) => {
    start();
    for (const { target, type } of changes) {
      const element = target as HTMLElement;
      // An element that is no form any more.
      if (type === 'attributes' && !element.hasAttribute('data-user-collection')) void embed(element);
    }
  }).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter: ['data-user-collection', 'data-lang', 'lang'],
  });
}
