import { marked } from '#src/fields/marks.ts';
import {
  fieldMarkup,
  formFields,
  honeypot,
  type Markup,
  type MarkupNode,
  prefilled,
  present,
} from '#src/fields/markup.ts';
import { toDom } from './dom.ts';
import { startFiles } from './files-loader.ts';
import style from './form.css?inline';
import { challenge, send } from './send.ts';
import { type Definition, definitionOf, formPath, service } from './service.ts';
import { startSteps } from './steps-loader.ts';

/**
 * Shows the form of an app in an element. A shadow root keeps the styles of the site and of the
 * form apart, and a constructed style sheet needs no permission of the site's policy.
 */
export async function embed(host: HTMLElement): Promise<void> {
  if (host.shadowRoot) return;
  const app = host.getAttribute('data-user-collection') ?? '';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  // Reserves the space of the form before it is loaded, so that nothing below it moves.
  const height = Number(host.getAttribute('data-height')) || 0;
  const css = `:host{display:block;min-height:${height}px}${LIGHTNESS}h2,.text{margin:0 0 1em;overflow-wrap:anywhere;white-space:pre-line}${style}`;
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  try {
    const definition = await definitionOf(formPath(app, host));
    if (definition.style) sheet.replaceSync(css + definition.style);
    const [content] = toDom(formMarkup(app, definition)) as [HTMLElement];
    const form = content.querySelector('form');
    form?.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, event.submitter);
    });
    const { fields, pages = [], steps: texts } = definition;
    if (form && texts) await startSteps(form, { fields, pages, texts }, root);
    root.append(content);
    followText(content);
    // Without its module the form sends its files itself.
    if (form && definition.files) startFiles(form, definition.files, root).catch(() => undefined);
    if (form && definition.captcha) challenge(form, definition.captcha);
  } catch {
    const link: Markup = ['a', { href: `${service}/f/${app}` }, 'Open the form'];
    root.append(...toDom([['p', { class: 'note', role: 'alert' }, 'The form could not be shown. ', link]]));
  }
}

/** Has the lightness of the text of the site, and a transition that tells when it changes. */
const LIGHTNESS = ':host>div{outline-color:lab(from currentcolor l 0 0);transition:color 1ms}';

/** Gives a form the color scheme in which its colors fit the site: many dark ones declare none. */
function followText(content: HTMLElement): void {
  content.ontransitionend = () => followText(content);
  const lightness = Number.parseFloat(getComputedStyle(content).outlineColor.slice('lab('.length));
  content.style.colorScheme = lightness > 50 ? 'dark' : 'light';
}

function formMarkup(app: string, definition: Definition): MarkupNode[] {
  const { name = app, title, description, submitLabel, closed, lang, dir, texts, steps } = definition;
  const { images = [] } = definition;
  const introduction = present<Markup>([
    ...images.map((image) => ['img', { ...image, part: image.class, src: service + image.src }] satisfies Markup),
    title !== null && ['h2', { part: 'title' }, title],
    description !== null && ['p', { class: 'text', part: 'description' }, ...marked(description)],
  ]);
  const parameters = new URLSearchParams(location.search);
  const context = {
    page: location.href,
    referrer: document.referrer,
    query: (name: string) => parameters.getAll(name),
  };
  const attributes = { class: 'form', part: 'form', novalidate: true, 'data-user-collection': app, 'data-thanks': '' };
  const form: Markup = [
    'form',
    { ...attributes, 'aria-label': title ?? name },
    ...formFields(definition.fields, texts.email).map((field) =>
      fieldMarkup({ ...prefilled(field, context), isOff: steps && field.name !== 'email' ? false : undefined }),
    ),
    ...(definition.honeypot ? [honeypot(texts.leaveEmpty)] : []),
    ...(definition.captcha ? [['slot', { name: 'captcha' }] satisfies Markup] : []),
    ['button', { part: 'button' }, submitLabel ?? texts.send],
  ];
  const shown = closed ? (['p', { class: 'note' }, texts.closed] satisfies Markup) : form;
  return [['div', { lang, dir, 'data-scripted': steps !== undefined }, ...introduction, shown]];
}
