import { PROBLEM_CLASS, sentence } from '#src/features/display/markup.ts';
import { toDom } from './dom.ts';

/** A place of a form that was refused, such as `data.age`. */
export interface Problem {
  path: string;
  message: string;
}

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Whether the service made the form, so that it has its structure and style sheet. */
export const isOwn = (form: HTMLFormElement): boolean => form.hasAttribute('data-thanks');

let count = 0;

/** Removes the problems that the form shows. */
export function clearProblems(form: Element): void {
  for (const element of form.querySelectorAll(`.${PROBLEM_CLASS}`)) element.remove();
  for (const element of form.querySelectorAll('[aria-invalid]')) {
    element.removeAttribute('aria-invalid');
    describeWithout(element, /\S*-problem\S* ?/);
  }
}

export function describeWithout(element: Element, ids: RegExp): void {
  element.setAttribute('aria-describedby', (element.getAttribute('aria-describedby') ?? '').replace(ids, ''));
}

/**
 * Shows each problem at its control and moves the focus to the first one. Returns the problems that
 * no visible control has.
 * @param open shows the page of a control
 */
export function showProblems(
  form: HTMLFormElement,
  problems: readonly Problem[],
  open?: (control: Element) => void,
): Problem[] {
  const shown = new Set<Control>();
  const others = problems.filter((problem) => {
    const controls = controlsAt(form, problem.path);
    const [first] = controls;
    if (!first) return true;
    if (!shown.has(first)) show(form, controls, problem.message);
    shown.add(first);
    return false;
  });
  const first = controlsOf(form).find((control) => shown.has(control));
  if (first) open?.(first);
  first?.focus();
  return others;
}

/** What finds the problems of forms of the service, before they are sent. */
export const checks = new WeakMap<HTMLFormElement, () => Problem[]>();

/**
 * Returns what is wrong with the entries of a form. Without a check, what the service cannot find:
 * a browser sends no text that is no number or date.
 */
export function localProblems(form: HTMLFormElement): Problem[] {
  const check = checks.get(form);
  if (check) return check();
  return controlsOf(form)
    .filter(({ validity }) => validity.badInput)
    .map(({ name, validationMessage }) => ({ path: name, message: validationMessage }));
}

/** The controls of fields that count; those of others are disabled. */
export function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements].filter((element): element is Control =>
    element.matches(':is(input:not([type=hidden]),select,textarea):enabled'),
  );
}

/** A field has one of several names (spec 4.5); `data.visits.0.page` is a place in `visits`. */
function controlsAt(form: HTMLFormElement, path: string): Control[] {
  const [, key] = /^data\.(\w+)/.exec(path) ?? [];
  const names = key ? [`data[${key}]`, `data.${key}`, ...(key === 'email' ? [] : [key])] : [path];
  const controls = controlsOf(form);
  const name = names.find((one) => controls.some((control) => isNamed(control, one)));
  return controls.filter((control) => name !== undefined && isNamed(control, name));
}

const isNamed = (control: Control, name: string): boolean => control.name === name || control.name === `${name}[]`;

function show(form: HTMLFormElement, controls: readonly Control[], message: string): void {
  count += 1;
  const id = `user-collection-problem-${count}`;
  const [element] = toDom([['p', { class: PROBLEM_CLASS, id }, sentence(message)]]) as [Element];
  place(form, controls, element);
  for (const control of controls) {
    const described = control.getAttribute('aria-describedby') ?? '';
    control.setAttribute('aria-describedby', `${id} ${described}`.trim());
    control.setAttribute('aria-invalid', 'true');
  }
}

/** Before the control in a form of the service; elsewhere after it and the label that follows. */
function place(form: HTMLFormElement, controls: readonly Control[], element: Element): void {
  const last = controls[controls.length - 1] as Control;
  const first = controls[0] as Control;
  const choice = first.closest('.stars,.scale') ?? first.closest('.choice');
  if (isOwn(form)) {
    if (choice && last.type === 'checkbox') choice.parentElement?.append(element);
    else (choice ?? first).before(element);
    return;
  }
  const label = last.labels?.[0];
  const follows = Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINS;
  const anchor = label && last.compareDocumentPosition(label) & follows ? label : last;
  anchor.after(element);
}
