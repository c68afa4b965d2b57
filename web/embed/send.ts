import { marked } from '#src/features/display/marks.ts';
import type { MarkupNode } from '#src/features/display/markup.ts';
import { toDom } from './dom.ts';
import { filesOf } from './files-loader.ts';
import { part } from './parts.ts';
import { clearProblems, isOwn, localProblems, type Problem, showProblems } from './problems.ts';
import { type Challenge, canSolve, hexOf } from './proof-of-work.ts';
import { type Answer, type Captcha, type Definition, definitionOf, formPath, request } from './service.ts';
import { stepsOf } from './steps-loader.ts';

/** A page that is still there after this time has not been left: `next` is a download. */
const STAYS_MS = 5_000;

/** For a form whose texts have not been loaded. */
const NOT_SENT = 'The form could not be sent.';

/** The button with which a person sends a form. */
export type Submitter = HTMLButtonElement | HTMLInputElement;

interface State {
  /** The idempotency key of the next submission; kept until the service has answered. */
  key?: string | undefined;
  isSending?: boolean;
  /** Resolves when the answer to the last submission is shown. */
  sent?: Promise<void>;
}

const states = new WeakMap<HTMLFormElement, State>();

/** Resolves when a form is not on its way. */
export const whenSent = (form: HTMLFormElement): Promise<void> | undefined => states.get(form)?.sent;

/** Sends a form without leaving the page, and shows the answer (spec 4.5). */
export function send(form: HTMLFormElement, submitter: Submitter | null): void {
  const state = states.get(form) ?? {};
  states.set(form, state);
  const steps = stepsOf(form);
  // A form with pages sends after its script was loaded, on its last page.
  if (state.isSending || steps?.next() || (form.dataset.steps && !steps)) return;
  state.sent = submit(form, submitter, state);
}

async function submit(form: HTMLFormElement, submitter: Submitter | null, state: State): Promise<void> {
  const steps = stepsOf(form);
  const app = form.getAttribute('data-user-collection') ?? '';
  clear(form);
  const isChecked = isOwn(form) && !submitter?.formNoValidate;
  const local = isChecked ? (steps?.problems() ?? localProblems(form)) : [];
  if (local.length === 0) local.push(...(await settleFiles(form, state)));
  if (local.length > 0) return void showProblems(form, local, steps?.open);
  if (form.matches(OF_PAGE)) return (await part('page')).leave(form, () => part('challenge'));

  const data = new FormData(form, submitter);
  state.isSending = true;
  const release = lock(form, submitter, state);
  state.key ??= (data.get('_key') as string | null) || newKey();
  data.set('_key', state.key);
  if (!data.has('_tz')) data.set('_tz', Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { definition, answer } = await exchange(form, formPath(app, form), data);
  const { status, body } = answer;
  // Problems of entries use up no token.
  if (definition?.captcha && status > 0 && status !== 400) challenge(form, definition.captcha, true);
  // Without an answer, or with one that says to try again, the next attempt is a repeat.
  if (status > 0 && status < 429) state.key = undefined;
  for (const input of form.querySelectorAll<HTMLInputElement>('input[name="_key"]'))
    input.value = state.key ?? newKey();
  const name = status === 200 ? 'submitted' : 'refused';
  const detail = { sourceAppId: app, ...(status === 200 ? {} : { status }), ...body };
  const isHandled = !form.dispatchEvent(
    new CustomEvent(`user-collection:${name}`, { bubbles: true, composed: true, cancelable: true, detail }),
  );
  if (status === 200 && !isHandled) return finish(form, answer, definition, release);
  release();
  if (status !== 200 && !isHandled) refuse(form, answer, definition);
}

/** Resolves when the files of a form are sent, with the problems of those that are not. */
async function settleFiles(form: HTMLFormElement, state: State): Promise<Problem[]> {
  const { files, pending } = filesOf(form) ?? {};
  if (!files) return [];
  state.isSending = true;
  if (files.isBusy()) say(form, 'status', `${pending}`);
  const problems = await files.settle();
  state.isSending = false;
  say(form, 'status');
  return problems;
}

/** A form whose answer is a page. */
export const OF_PAGE = '[data-entry]';

/** Shows a challenge. Without its code a form is not sent, and says so. */
export function challenge(form: HTMLFormElement, captcha: Captcha, isNew = false): void {
  void part('challenge').then(
    ({ showChallenge }) => form.isConnected && showChallenge(form, captcha, isNew),
    () => undefined,
  );
}

interface Exchange {
  /** Undefined while it could not be loaded. */
  definition?: Definition | undefined;
  answer: Answer;
}

/** Never rejects: without an answer the status is 0. */
async function exchange(form: HTMLFormElement, path: string, data: FormData): Promise<Exchange> {
  let definition: Definition | undefined;
  try {
    definition = await definitionOf(path);
    const { captcha } = definition;
    if (captcha) {
      const { showChallenge, canShow, tokenOf } = await part('challenge');
      showChallenge(form, captcha);
      const token = tokenOf(form, captcha);
      if (!token && canShow(captcha)) return { definition, answer: { status: 0, body: { message: captcha.unsolved } } };
      // A page without the script of the provider sends its form without a token, and it is held.
      data.set(captcha.entry, token ?? '');
    }
    // A page that cannot solve challenges sends its form without a solution, and it is held.
    if (definition.proofOfWork && canSolve()) {
      const challenge = await request(path.replace(/(?=\?|$)/, '/challenge'));
      if (challenge.status !== 200) return { definition, answer: challenge };
      const { solve } = await part('challenge');
      data.set('altcha', await solve(challenge.body as unknown as Challenge));
    }
    return { definition, answer: await request(path, data) };
  } catch {
    const message = definition?.texts.notSent ?? form.dataset.notSent ?? NOT_SENT;
    return { definition, answer: { status: 0, body: { message } } };
  }
}

/** Disables the buttons; the returned function enables them and returns the focus. */
function lock(form: HTMLFormElement, submitter: Submitter | null, state: State): () => void {
  const buttons = [...form.querySelectorAll<HTMLButtonElement>('button,input[type="submit"]')].filter(
    (button) => !button.disabled,
  );
  for (const button of buttons) button.disabled = true;
  return () => {
    for (const button of buttons) button.disabled = false;
    state.isSending = false;
    const root = form.getRootNode() as Document | ShadowRoot;
    if (!root.activeElement || root.activeElement === document.body) submitter?.focus();
  };
}

function finish(
  form: HTMLFormElement,
  { body }: Answer,
  definition: Definition | undefined,
  release: () => void,
): void {
  const thanks = form.getAttribute('data-thanks');
  // Only the service knows which address of the form the app allows; any other leads nowhere.
  const next =
    body.next || definition?.next || (thanks && thanks + (body.held ? (/\?/.test(thanks) ? '&held' : '?held') : ''));

  function empty(): void {
    // A control named `reset` hides the method.
    HTMLFormElement.prototype.reset.call(form);
    release();
  }

  function thank(): void {
    empty();
    // The form was sent, so its definition was loaded.
    const { texts, thanks: ownThanks } = definition as Definition;
    const stored = [...marked(ownThanks ?? texts.thanks), `\n${texts.thanksConfirm}`];
    const message = say(form, 'status', ...(body.held ? [texts.thanksHeld] : stored));
    if (!isOwn(form)) return;
    message.classList.add('thanks');
    form.parentElement?.removeAttribute('data-later');
    form.replaceWith(message);
    message.focus();
  }

  if (!next) return void thank();
  const { href } = new URL(`${next}`, location.href);
  location.assign(href);
  // A place in this page, where the browser is at once.
  if (location.href === href) return void empty();
  const stays = setTimeout(thank, STAYS_MS);
  addEventListener('pagehide', () => {
    clearTimeout(stays);
    // The page may come back from the cache of the browser.
    release();
  });
}

function refuse(form: HTMLFormElement, { status, body }: Answer, definition: Definition | undefined): void {
  const errors = body.errors ?? [];
  const others = showProblems(form, errors, stepsOf(form)?.open);
  if (errors.length > 0 && others.length === 0) return;
  const lines = others.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const message = status === 422 ? definition?.texts.text422 : body.message;
  say(form, 'alert', [message, ...lines].join('\n'));
}

const MESSAGE = 'user-collection-message';

/** Removes the last answer. The element of messages stays: screen readers read out its changes. */
function clear(form: HTMLFormElement): void {
  clearProblems(form);
  say(form, 'status');
  // The summary of a page that was answered before.
  if (isOwn(form)) form.parentElement?.querySelector('.summary')?.remove();
}

function say(form: HTMLFormElement, role: 'status' | 'alert', ...content: MarkupNode[]): HTMLElement {
  const message = form.querySelector<HTMLElement>(`.${MESSAGE}`) ?? document.createElement('div');
  if (!message.parentNode) form.append(message);
  const look = isOwn(form) && content.length > 0 ? ` note${role === 'status' ? ' good' : ''}` : '';
  for (const [name, value] of Object.entries({
    class: MESSAGE + look,
    role,
    part: 'message',
    tabindex: '-1',
  })) {
    message.setAttribute(name, value);
  }
  message.replaceChildren(...toDom(content));
  return message;
}

/** `crypto.randomUUID` is missing on pages without https. */
function newKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
}
