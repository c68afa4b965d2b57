import { marked } from '#src/features/display/marks.ts';
import {
  fieldMarkup,
  formFields,
  honeypot,
  type Markup,
  type MarkupNode,
  prefilled,
  present,
} from '#src/features/display/markup.ts';
import choiceStyle from './choices.css?inline';
import { toDom } from './dom.ts';
import formStyle from './form.css?inline';
import type { Control } from './problems.ts';
import type { Definition } from './service.ts';

// The module of `/embed/v1-form.js`: the content of an element that becomes a form. A page without
// such an element does not load it.

export { problemsIn } from './checks.ts';

/** Has the lightness of the text of the site, and a transition that tells when it changes. */
const LIGHTNESS = ':host>div{outline-color:lab(from currentcolor l 0 0);transition:color 1ms}';

/** The style sheet of the content. */
export const style = `${LIGHTNESS}h2,.text{margin:0 0 1em;overflow-wrap:anywhere;white-space:pre-line}${formStyle}${choiceStyle}`;

/**
 * Builds the content.
 *
 * @param service the origin of the service
 */
export function build(app: string, definition: Definition, service: string): HTMLElement {
  const [content] = toDom(contentMarkup(app, definition, service)) as [HTMLElement];
  return content;
}

/** A logo with two versions gets the address of one with the color scheme of its form. */
function imageOf({ src, dark, ...image }: NonNullable<Definition['images']>[number], service: string): Markup {
  const [light, other] = [service + src, service + dark];
  if (dark === undefined) return ['img', { ...image, part: image.class, src: light }];
  return [
    'img',
    { ...image, class: `${image.class} both`, part: image.class, 'data-light': light, 'data-dark': other },
  ];
}

/** Gives a form the color scheme in which its colors fit the site: many dark ones declare none. */
export function followText(content: HTMLElement): void {
  content.ontransitionend = () => followText(content);
  const lightness = Number.parseFloat(getComputedStyle(content).outlineColor.slice('lab('.length));
  const scheme = lightness > 50 ? 'dark' : 'light';
  content.style.colorScheme = scheme;
  for (const image of content.querySelectorAll<HTMLImageElement>('[data-dark]')) {
    const address = image.dataset[scheme] as string;
    if (image.src !== address) image.src = address;
  }
}

function contentMarkup(app: string, definition: Definition, service: string): MarkupNode[] {
  const { name = app, title, description, submitLabel, closed, lang, dir, texts, steps } = definition;
  const { images = [] } = definition;
  const introduction = present<Markup>([
    ...images.map((image) => imageOf(image, service)),
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

const ENTERED = 'input:not([type=hidden],[type=file]),select,textarea';
const TICKED = '[type=checkbox],[type=radio]';

/**
 * Gives a form what a person entered in the form whose place it takes. A form of another app gets
 * only the texts: a tick may be a consent to something else.
 *
 * @param focused the element of the earlier form that had the focus
 * @param open shows the page of a control
 */
export function takeOver(
  form: HTMLFormElement,
  old: HTMLFormElement,
  focused: Element | null,
  open?: (control: Element) => void,
): void {
  const isSameApp = form.dataset.userCollection === old.dataset.userCollection;
  const earlier = [...old.querySelectorAll<Control>(ENTERED)].filter(isChanged);
  for (const control of form.querySelectorAll<Control>(ENTERED)) {
    const isTick = control.matches(TICKED);
    const entered = earlier.find(
      (one) => one.name === control.name && one.matches(TICKED) === isTick && (!isTick || one.value === control.value),
    );
    if (!entered || (isTick && !isSameApp)) continue;
    if (isTick) (control as HTMLInputElement).checked = (entered as HTMLInputElement).checked;
    else if (!('options' in control) || [...control.options].some(({ value }) => value === entered.value))
      control.value = entered.value;
  }
  // What counts depends on the entries.
  form.dispatchEvent(new Event('input'));
  // In a form with pages the focus may be on a title or a button.
  const place = focused?.matches('[name]') ? focused : old.querySelector('[data-step]:not([data-off]) [name]');
  // Radio buttons of one field have one name.
  const twins = [...form.querySelectorAll<Control>(ENTERED)].filter(({ name }) => name === place?.getAttribute('name'));
  const control = twins.find(({ id }) => id === place?.id) ?? twins[0];
  if (control) open?.(control);
  if (focused) control?.focus();
}

/** Whether a control has something else than at first. */
function isChanged(control: Control): boolean {
  if ('options' in control) {
    const options = [...control.options];
    return control.value !== (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value;
  }
  const { checked, defaultChecked } = control as HTMLInputElement;
  return control.matches(TICKED) ? checked !== defaultChecked : control.value !== control.defaultValue;
}
