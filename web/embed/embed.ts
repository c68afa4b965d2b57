import { toDom } from './dom.ts';
import { startFiles } from './files-loader.ts';
import { stopKeys } from './keys.ts';
import { part } from './parts.ts';
import { checks } from './problems.ts';
import { challenge, whenSent } from './send.ts';
import { definitionOf, formPath, service } from './service.ts';
import { startSteps, stepsOf } from './steps-loader.ts';
import { watchForms } from './submits.ts';

/** An element that shows a form. */
interface Host {
  root: ShadowRoot;
  sheet: CSSStyleSheet;
  /** What its style sheet begins with. */
  base: string;
  /** The app whose content it shows. */
  app?: string | null;
  /** The path of the form that it shows or loads; empty without an app. */
  path?: string;
  form?: HTMLFormElement | null;
}

const hosts = new WeakMap<Element, Host>();

/**
 * Shows the form of an app in an element, and another one when the attributes of the element, or of
 * one around it, name another app or language.
 */
export async function embed(element: HTMLElement): Promise<void> {
  const app = element.getAttribute('data-user-collection');
  if (app === null && !hosts.has(element)) return;
  const host = hosts.get(element) ?? prepare(element);
  const path = app === null ? '' : formPath(app, element);
  if (host.path === path) return;
  host.path = path;
  const { root, sheet, base } = host;
  // The attributes may name yet another form meanwhile. A form that is on its way shows its answer.
  const isLate = async (): Promise<boolean> => {
    if (host.form) await whenSent(host.form);
    return host.path !== path;
  };
  if (await isLate()) return;
  // Nothing goes to another app any more. In another language the form stays until the next is there.
  if (host.app !== app) root.replaceChildren();
  host.app = app;
  if (app === null) return;
  const loading = part('form');
  try {
    const [definition, { build, followText, problemsIn, takeOver, style }] = await Promise.all([
      definitionOf(path),
      loading,
    ]);
    const content = build(app, definition, service);
    const form = content.querySelector('form');
    const { fields, pages = [], problems, steps: texts } = definition;
    if (form && problems) checks.set(form, () => problemsIn(form, problems));
    if (form && texts) await startSteps(form, { fields, pages, texts }, root);
    // The message of a form that was sent stays.
    if ((await isLate()) || root.querySelector('div > .user-collection-message')) return;
    const { form: old } = host;
    const focused = root.activeElement;
    sheet.replaceSync(base + style + (definition.style ?? ''));
    root.replaceChildren(content);
    followText(content);
    host.form = form;
    if (!form) return;
    if (old) takeOver(form, old, focused, stepsOf(form)?.open);
    // Without its module the form sends its files itself.
    if (definition.files) startFiles(form, definition.files, root).catch(() => undefined);
    if (definition.captcha) challenge(form, definition.captcha, old?.dataset.userCollection !== app);
  } catch {
    const style = await loading.then(
      (loaded) => loaded.style,
      () => '',
    );
    if ((await isLate()) || root.hasChildNodes()) return;
    sheet.replaceSync(base + style);
    const link = ['a', { href: `${service}/f/${app}` }, 'Open the form'] as const;
    root.append(...toDom([['p', { class: 'note', role: 'alert' }, 'The form could not be shown. ', link]]));
  }
}

/**
 * Prepares an element for its form. A shadow root keeps the styles of the site and of the form
 * apart, and a constructed style sheet needs no permission of the site's policy.
 */
function prepare(element: HTMLElement): Host {
  const root = rootOf(element);
  const sheet = new CSSStyleSheet();
  // Reserves the space of the form before it is loaded, so that nothing below it moves.
  const base = `:host{display:block;min-height:${Number(element.getAttribute('data-height')) || 0}px}`;
  sheet.replaceSync(base);
  root.adoptedStyleSheets = [sheet];
  watchForms(root);
  stopKeys(root);
  const host = { root, sheet, base };
  hosts.set(element, host);
  return host;
}

function rootOf(element: HTMLElement): ShadowRoot {
  try {
    return element.attachShadow({ mode: 'open' });
  } catch {
    const { localName } = element;
    // biome-ignore lint/suspicious/noConsole: for the owner of the site
    console.warn(`A ${localName} element cannot have a shadow root, or has its own: the form is in a div inside it`);
    const child = document.createElement('div');
    element.append(child);
    return child.attachShadow({ mode: 'open' });
  }
}
