import { type ProblemTexts, problemsIn } from './checks.ts';
import { toDom } from './dom.ts';
import type { Control, Problem } from './problems.ts';

// The module of `/embed/v1-page.js`: what only the form on a page of the service has.

/** The attribute `data-page` of such a form. */
export interface PageData {
  /** Absent for a form with pages or conditions, whose own module has them. */
  problems?: ProblemTexts;
  /** Absent if nothing is kept. */
  draft?: Draft;
}

interface Draft {
  /** The texts of the notice. */
  kept: string;
  again: string;
  /** The names of controls that are never kept. */
  never: readonly string[];
}

interface PageForm {
  /** Returns what is wrong with the entries; undefined if another module says so. */
  problems?: (() => Problem[]) | undefined;
}

/** @param open shows the page of a control */
export function start(
  form: HTMLFormElement,
  { problems, draft }: PageData,
  open?: (control: Element) => void,
): PageForm {
  // The form of a stored entry is no draft of another one.
  const isRestored = form.hasAttribute('data-entry') || keep(form, draft, open);
  if (!isRestored) focusFirst(form);
  return { problems: problems && (() => problemsIn(form, problems)) };
}

/**
 * Lets the browser send a form, of one's own entry or of the email for it, whose answer is a page.
 * @param load resolves with the module that solves challenges
 */
export async function leave(
  form: HTMLFormElement,
  load: () => Promise<typeof import('./challenge.ts')>,
): Promise<void> {
  const { proof } = form.dataset;
  form.querySelector('.note')?.remove();
  if (proof) {
    try {
      const answer = await fetch(proof);
      const { solve } = await load();
      // A refusal of a challenge is one of the form, which says so.
      const value = answer.ok ? await solve(await answer.json()) : '';
      form.append(...toDom([['input', { type: 'hidden', name: 'altcha', value }]]));
    } catch {
      form.append(...toDom([['p', { class: 'note', role: 'alert' }, `${form.dataset.notSent}`]]));
      return;
    }
  }
  HTMLFormElement.prototype.submit.call(form);
}

const ENTERED = 'input:not([type=hidden],[type=file]),select,textarea';
const TICKED = '[type=checkbox],[type=radio]';

/** Names the entries of a draft that are no control. */
const LAST = '';

/**
 * Keeps what is typed until the form is sent, in this tab alone. Returns whether it gave the form
 * what was kept before.
 */
function keep(form: HTMLFormElement, draft: Draft | undefined, open?: (control: Element) => void): boolean {
  const place = `user-collection-draft ${form.dataset.userCollection}`;
  if (!draft) {
    store(place, undefined);
    return false;
  }
  const isKept = ({ name }: Control): boolean => /^(?:email$|data\[)/.test(name) && !draft.never.includes(name);
  const controls = (): Control[] => [...form.querySelectorAll<Control>(ENTERED)].filter(isKept);
  let entries = stored(place);

  form.addEventListener('input', note);
  form.addEventListener('change', note);
  form.addEventListener('user-collection:submitted', forget);

  function note({ target }: Event): void {
    const control = target as Control;
    if (!control.matches(ENTERED) || !isKept(control)) return;
    const { name } = control;
    const same = controls().filter((one) => one.name === name);
    entries = { ...entries, [name]: same.flatMap(entryOf), [LAST]: [name] };
    store(place, entries);
  }

  function forget(): void {
    entries = {};
    store(place, undefined);
  }

  // The page after a refusal has what was sent.
  if (form.parentElement?.querySelector('.summary')) return false;
  const found = controls().filter(({ name }) => Object.hasOwn(entries, name));
  if (found.length === 0) return false;
  const given: Record<string, number> = {};
  for (const control of found) {
    const values = entries[control.name] ?? [];
    const at = given[control.name] ?? 0;
    given[control.name] = at + 1;
    if (control.matches(TICKED)) (control as HTMLInputElement).checked = values.includes(control.value);
    else if (!('options' in control) || [...control.options].some(({ value }) => value === values[at]))
      control.value = values[at] ?? '';
  }
  // What counts depends on the entries.
  form.dispatchEvent(new Event('input'));
  const last = found.find(({ name }) => name === entries[LAST]?.[0]);
  if (last && open) open(last);

  const [notice] = toDom([
    ['p', { class: 'kept', role: 'status' }, `${draft.kept} `, ['button', { type: 'button' }, draft.again]],
  ]) as [Element];
  notice.querySelector('button')?.addEventListener('click', () => {
    forget();
    notice.remove();
    form.reset();
    form.querySelector<Control>(ENTERED)?.focus();
  });
  form.prepend(notice);
  return true;
}

function entryOf(control: Control): string[] {
  return control.matches(TICKED) && !(control as HTMLInputElement).checked ? [] : [control.value];
}

type Entries = Readonly<Record<string, readonly string[]>>;

/** A browser may forbid its storage. */
function stored(place: string): Entries {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '{}');
  } catch {
    return {};
  }
}

function store(place: string, entries: Entries | undefined): void {
  try {
    if (entries) sessionStorage.setItem(place, JSON.stringify(entries));
    else sessionStorage.removeItem(place);
  } catch {
    // Nothing is kept.
  }
}

/**
 * Puts the caret into the first field of a page that somebody has just opened, if it is empty and
 * in view. On a touch screen that would open the keyboard over the form.
 */
function focusFirst(form: HTMLFormElement): void {
  const first = [...form.querySelectorAll<Control>(ENTERED)].find(
    (control) => control.name !== '_gotcha' && !control.disabled && control.checkVisibility?.() !== false,
  );
  if (!first || first.matches(`${TICKED},select`) || first.value !== '') return;
  const isUntouched = document.activeElement === document.body && scrollY === 0 && location.hash === '';
  const isInView = first.getBoundingClientRect().bottom <= innerHeight;
  if (isUntouched && isInView && matchMedia('(hover:hover) and (pointer:fine)').matches) first.focus();
}
