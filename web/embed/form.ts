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
import formStyle from './form.css?inline';
import type { Definition } from './service.ts';

// The module of `/embed/v1-form.js`: the content of an element that becomes a form. A page without
// such an element does not load it.

/** The style sheet of the content. */
export const style = `h2,.text{margin:0 0 1em;overflow-wrap:anywhere;white-space:pre-line}${formStyle}`;

/**
 * Builds the content.
 *
 * @param service the origin of the service
 */
export function build(app: string, definition: Definition, service: string): Element {
  const [content] = toDom(contentMarkup(app, definition, service)) as [Element];
  return content;
}

function contentMarkup(app: string, definition: Definition, service: string): MarkupNode[] {
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
