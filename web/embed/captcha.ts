import { toDom } from './dom.ts';
import type { Captcha } from './service.ts';

/** What the scripts of providers offer in `window`. */
interface Api {
  render?(element: Element, options: object): unknown;
  /** Of Friendly Captcha. */
  createWidget?(options: object): unknown;
}

const apiOf = ({ provider }: Captcha): Api | undefined =>
  (window as unknown as Record<string, Api | undefined>)[
    { turnstile: 'turnstile', hcaptcha: 'hcaptcha', recaptcha: 'grecaptcha', friendly: 'frcaptcha' }[provider]
  ];

/** Providers find no elements in a shadow root, so the challenge is beside it, in a slot. */
function areaOf(form: HTMLFormElement): Element {
  const root = form.getRootNode();
  return root instanceof ShadowRoot ? root.host : form;
}

/** Shows a new challenge in the form, before its button; `isNew`: in place of one that it has. */
export function showChallenge(form: HTMLFormElement, captcha: Captcha, isNew = false): void {
  const { className, siteKey: sitekey, script } = captcha;
  const area = areaOf(form);
  const known = area.querySelector(`.${className}`);
  if (known && !isNew) return;
  const slot = area === form ? undefined : 'captcha';
  const [element] = toDom([['div', { class: className, 'data-sitekey': sitekey, slot }]]) as [Element];
  const button = form.querySelector('button:not([type]),[type="submit"]');
  if (known) known.replaceWith(element);
  else if (slot || !button) area.append(element);
  else button.before(element);
  const api = apiOf(captcha);
  if (api?.createWidget) api.createWidget({ element, sitekey });
  else if (api?.render) api.render(element, { sitekey });
  // A script that loads finds the element by its class.
  else if (![...document.scripts].some(({ src }) => src.startsWith(script))) {
    const loaded = document.createElement('script');
    if (captcha.provider === 'friendly') loaded.type = 'module';
    document.head.append(Object.assign(loaded, { src: script, async: true }));
  }
}

/** Returns the token of the solved challenge; undefined while it is not solved. */
export function tokenOf(form: HTMLFormElement, { entry }: Captcha): string | undefined {
  const { value = '' } = areaOf(form).querySelector<HTMLInputElement>(`[name="${entry}"]`) ?? {};
  // Friendly Captcha sends its state there, such as `.SOLVING`.
  return /^[^.]/.test(value) ? value : undefined;
}

/** Whether the page can show the challenge: otherwise nobody can solve it. */
export const canShow = (captcha: Captcha): boolean => apiOf(captcha) !== undefined;
