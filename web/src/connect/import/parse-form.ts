import { DomUtils, parseDocument } from 'htmlparser2';

type Element = Extract<ReturnType<typeof parseDocument>['children'][number], { attribs: object }>;

/** A control of a form, as its HTML describes it. */
export interface ParsedControl {
  /** The element, and for `input` and `button` its type, such as `text`, `select` or `submit`. */
  type: string;
  name: string;
  label: string;
  /** The label of the group that it belongs to. */
  legend: string;
  attributes: Readonly<Record<string, string>>;
  /** The initial text; of a checkbox or radio button the text that it sends. */
  value: string;
  options: readonly { value: string; label: string; isSelected: boolean }[];
  place: Place;
  /** The labels that name no other control. */
  labels: readonly Place[];
}

/** Where an element is in the text. */
export interface Place {
  start: number;
  end: number;
}

export interface ParsedForm {
  attributes: Readonly<Record<string, string>>;
  controls: readonly ParsedControl[];
  captchas: readonly Place[];
  /** Undefined without a `form` element. */
  place: Place | undefined;
}

const CONTROLS = new Set(['input', 'select', 'textarea', 'button']);
/** Elements whose text is not the text of a label around them. */
const NO_LABEL = new Set([...CONTROLS, 'script', 'style']);
const CAPTCHA = /\b(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha)\b/;

/** Returns the forms in HTML, or its controls as one form. Runs nothing of it. */
export function parseForms(html: string): ParsedForm[] {
  const document = parseDocument(html, { withStartIndices: true, withEndIndices: true });
  const elements = DomUtils.findAll(() => true, document.children);
  const controls = elements.filter(({ name }) => CONTROLS.has(name));
  const forms = elements.filter(({ name }) => name === 'form');
  const page = { elements, byId: new Map(elements.map((element) => [element.attribs.id ?? '', element])) };
  if (forms.length === 0) return controls.length === 0 ? [] : [formOf(undefined, controls, page)];
  return forms.map((form) =>
    formOf(
      form,
      controls.filter((control) => ownerOf(control, page) === form),
      page,
    ),
  );
}

interface Page {
  elements: readonly Element[];
  byId: ReadonlyMap<string, Element>;
}

function formOf(form: Element | undefined, controls: readonly Element[], page: Page): ParsedForm {
  return {
    attributes: form?.attribs ?? {},
    controls: controls.map((control) => controlOf(control, page)),
    captchas: page.elements
      .filter((element) => CAPTCHA.test(element.attribs.class ?? '') && (!form || ancestors(element).includes(form)))
      .map(placeOf),
    place: form && placeOf(form),
  };
}

/** The form that a control names, or the one around it. */
function ownerOf(control: Element, { byId }: Page): Element | undefined {
  const { form } = control.attribs;
  return form === undefined ? ancestors(control).find(({ name }) => name === 'form') : byId.get(form);
}

function controlOf(element: Element, page: Page): ParsedControl {
  const { attribs, name } = element;
  const type = typeOf(element);
  return {
    type,
    name: (attribs.name ?? '').trim(),
    label: labelOf(element, page),
    legend: legendOf(element),
    attributes: attribs,
    value: name === 'textarea' ? DomUtils.textContent(element) : (attribs.value ?? ''),
    options: name === 'select' ? optionsOf(element) : [],
    place: placeOf(element),
    labels: ownLabels(element, page).map(placeOf),
  };
}

function placeOf({ startIndex, endIndex }: Element): Place {
  return { start: startIndex ?? 0, end: (endIndex ?? -1) + 1 };
}

function ownLabels(element: Element, { elements }: Page): Element[] {
  const { id } = element.attribs;
  return elements.filter((label) => {
    if (label.name !== 'label') return false;
    const inside = DomUtils.findAll(({ name }) => CONTROLS.has(name), label.children);
    return inside.length === 0 ? id !== undefined && label.attribs.for === id : inside.every((one) => one === element);
  });
}

function typeOf({ name, attribs }: Element): string {
  if (name === 'input') return (attribs.type ?? 'text').trim().toLowerCase() || 'text';
  if (name === 'button') return /^(?:button|reset)$/i.exec(attribs.type ?? '')?.[0].toLowerCase() ?? 'submit';
  if (name === 'select') return attribs.multiple === undefined ? 'select' : 'select-multiple';
  return name;
}

function optionsOf(select: Element): ParsedControl['options'] {
  const options = DomUtils.findAll(({ name }) => name === 'option', select.children);
  return options.map((option) => {
    const text = clean(DomUtils.textContent(option));
    const { value = text, label = text, selected } = option.attribs;
    return { value, label: clean(label), isSelected: selected !== undefined };
  });
}

function labelOf(element: Element, { elements, byId }: Page): string {
  const { id, 'aria-label': ariaLabel, 'aria-labelledby': labelledBy, placeholder } = element.attribs;
  const named = id && elements.find(({ name, attribs }) => name === 'label' && attribs.for === id);
  const around = ancestors(element).find(({ name }) => name === 'label');
  const others = (labelledBy ?? '').split(/\s+/).flatMap((one) => (one === '' ? [] : (byId.get(one) ?? [])));
  const texts = [named, around, ...others].map((label) => (label ? labelText(label) : ''));
  return [...texts, clean(ariaLabel ?? ''), clean(placeholder ?? '')].find((text) => text !== '') ?? '';
}

function legendOf(element: Element): string {
  const fieldset = ancestors(element).find(({ name }) => name === 'fieldset');
  const legend = fieldset?.children.filter(isElement).find(({ name }) => name === 'legend');
  return legend ? labelText(legend) : '';
}

/** The text of a label without that of its controls, and without a mark such as `*`. */
function labelText(label: Element): string {
  const text = label.children
    .map((child): string => {
      if (isElement(child)) return NO_LABEL.has(child.name) ? '' : ` ${labelText(child)} `;
      return child.type === 'text' ? child.data : '';
    })
    .join('');
  return clean(text).replace(/\s*[*:]+$/, '');
}

function ancestors(element: Element): Element[] {
  const found: Element[] = [];
  for (let { parent } = element; parent && isElement(parent); { parent } = parent) found.push(parent);
  return found;
}

function isElement(node: object): node is Element {
  return 'attribs' in node;
}

function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
