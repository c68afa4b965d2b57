import { browserKind } from '../../core/fields/base/browser-kinds.ts';
import { fieldStates, pagesOf } from '../../core/fields/conditions.ts';
import { choicesIn } from '../../platform/text/choice-list.ts';
import { marked } from './marks.ts';
import type { FormField, Markup, MarkupNode } from './markup.ts';
import { isHidden, present } from './markup.ts';
import type { FormControl } from './presentation.ts';

// A form with conditions or pages: what the service and the dashboard render of it. The script of
// such a form is web/embed/steps.ts.

/** The texts of a page in the language of the form. */
export interface StepTitle {
  page: number;
  title: string;
  description?: string | undefined;
}

/** One page of a form. */
export interface Step {
  page: number;
  title: string | undefined;
  description?: string | undefined;
  fields: readonly FormField[];
}

/** Whether a form has conditions or pages. */
export const hasSteps = (controls: readonly FormControl[]): boolean =>
  controls.some(
    ({ showIf, requiredIf, page }) => showIf !== undefined || requiredIf !== undefined || page !== undefined,
  );

/** Returns the fields of a form with what the script shows and requires for their texts. */
export function withStates(fields: readonly FormField[]): readonly FormField[] {
  const [email, ...ofSchema] = fields;
  const controls = ofSchema.map(({ control }) => control);
  if (!email || !hasSteps(controls)) return fields;
  const values = ofSchema.map((field) => [
    field.control.key,
    browserKind(field.control.kind).readTexts(sentTexts(field)),
  ]);
  const { shown, required } = fieldStates(controls, Object.fromEntries(values));
  const state = ({ control: { key } }: FormField) => ({ isOff: !shown.has(key), isRequired: required.has(key) });
  return [email, ...ofSchema.map((field) => ({ ...field, ...state(field) }))];
}

/** The texts that a browser sends of the control as it is rendered. */
export function sentTexts(field: FormField): readonly string[] {
  const { control } = field;
  const texts = field.texts ?? (control.default === undefined ? [] : [control.default]);
  if (isHidden(field)) return texts;
  const last = texts.at(-1) ?? '';
  if (control.type === 'checkbox') {
    const isAbsent = field.texts !== undefined && last.trim() === '';
    return isAbsent ? [] : [String(/^(?:on|true|1|yes)$/i.test(last.trim()))];
  }
  const { choices } = control;
  if (control.type === 'checkboxes') {
    const chosen = new Set(choicesIn(texts));
    return choices.flatMap(({ value }) => (chosen.has(value) ? [value] : []));
  }
  return choices.length > 0 && !choices.some(({ value }) => value === last) ? [] : texts;
}

/** Returns the pages of a form; undefined for a form with one. The email is on the first page. */
export function stepsOf(fields: readonly FormField[], titles: readonly StepTitle[] = []): Step[] | undefined {
  const [email, ...ofSchema] = fields;
  const pages = pagesOf(ofSchema.map(({ control }) => control));
  const numbers = [...new Set([1, ...pages])];
  if (!email || numbers.length === 1) return undefined;
  return numbers.map((page) => ({
    page,
    title: undefined,
    ...titles.find((one) => one.page === page),
    fields: [...(page === 1 ? [email] : []), ...ofSchema.filter((_, index) => pages[index] === page)],
  }));
}

/** Whether the script shows a page, at least one of whose fields people see. */
export const isShownStep = ({ fields }: Pick<Step, 'fields'>): boolean =>
  fields.some((field) => !isHidden(field) && field.isOff !== true);

/** The element around the fields of a page, without them. */
export function stepMarkup(
  { page, title, description }: Omit<Step, 'fields'>,
  isOpen: boolean,
  heading: 'h2' | 'h3',
): Markup {
  const id = `step-${page}`;
  return [
    'div',
    { class: 'step', part: 'page', 'data-step': page, 'data-off': !isOpen },
    ...present<Markup>([
      title !== undefined && [heading, { id, tabindex: -1, part: 'page-title', 'aria-describedby': 'steps' }, title],
      description !== undefined && ['p', { class: 'text', part: 'page-description' }, ...marked(description)],
    ]),
  ];
}

/** Which of the shown pages is open, from 1 on. */
interface Position {
  page: number;
  pages: number;
}

/** The text of the progress, and a part of its bar for each page. */
export const progressContent = (text: string, { page, pages }: Position): MarkupNode[] => [
  text,
  [
    'span',
    { 'aria-hidden': 'true' },
    ...Array.from({ length: pages }, (_, index): Markup => ['i', { 'data-done': index < page }]),
  ],
];

/**
 * Where a person is, such as `Page 2 of 3`. Takes the focus of a page without a title.
 * @param own the attributes of a text of the service
 */
export const progressMarkup = (text: string, position: Position, own: Markup[1] = {}): Markup => [
  'p',
  {
    ...own,
    class: 'progress',
    id: 'steps',
    tabindex: -1,
    part: 'progress',
    'data-live': true,
    'data-off': position.pages < 2,
  },
  ...progressContent(text, position),
];

interface StepButtons {
  previous: string;
  next: string;
  isFirst: boolean;
  isLast: boolean;
  send: Markup;
  /** The attributes of a text of the service. */
  own?: Markup[1];
}

/** Without the script only the button that sends is shown. */
export function buttonsMarkup({ previous, next, isFirst, isLast, send, own = {} }: StepButtons): Markup {
  const button = (step: string, text: string, isOff: boolean): Markup => [
    'button',
    { ...own, type: 'button', part: 'button', 'data-go': step, 'data-live': true, 'data-off': isOff },
    text,
  ];
  const [tag, attributes, ...children] = send;
  return [
    'div',
    { class: 'steps' },
    button('previous', previous, isFirst),
    button('next', next, isLast),
    [tag, { ...attributes, 'data-off': !isLast }, ...children],
  ];
}
