import { type Submitter, send } from './send.ts';

/** The forms that the script checks. */
export const FORMS = 'form[data-user-collection]';

const watched = new WeakSet<EventTarget>();

/**
 * Sends the forms of a window or of a shadow root, which a submit event does not leave. The last
 * listener of the event decides, because every other one may prevent the submission. Returns
 * whether the place is a new one.
 */
export function watchForms(place: Window | ShadowRoot): boolean {
  if (watched.has(place)) return false;
  watched.add(place);
  const append = (): void => {
    place.removeEventListener('submit', decide);
    place.addEventListener('submit', decide);
  };
  place.addEventListener('submit', append, true);
  return true;
}

function decide(event: Event): void {
  const form = event.target as HTMLFormElement;
  const submitter = ((event as SubmitEvent).submitter ?? null) as Submitter | null;
  if (event.defaultPrevented || !form.matches(FORMS) || !isTaken(form, submitter)) return;
  event.preventDefault();
  send(form, submitter);
}

/**
 * Whether the script sends the form. It leaves to the browser a button that names another address,
 * method or target than those of the form, and a form that only closes its dialog.
 */
function isTaken(form: HTMLFormElement, submitter: Submitter | null): boolean {
  // A control with such a name hides the property of its form.
  const own = (name: 'action' | 'method'): string => Reflect.get(HTMLFormElement.prototype, name, form);
  const { formMethod, formTarget } = submitter ?? { formMethod: '', formTarget: '' };
  const isElsewhere = submitter?.hasAttribute('formaction') && submitter.formAction !== own('action');
  const method = formMethod || (own('method') === 'dialog' ? 'dialog' : 'post');
  return !isElsewhere && method === 'post' && /^(?:_self)?$/i.test(formTarget);
}
