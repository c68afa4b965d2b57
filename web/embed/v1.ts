import { showChallenge } from './captcha.ts';
import { embed } from './embed.ts';
import { send } from './send.ts';
import { definitionOf, formPath } from './service.ts';

// The script of `/embed/v1.js` (spec 4.5). It may be loaded anywhere in a page, and more than once.

const LOADED = 'userCollectionV1';

function start(): void {
  // A form that the service rendered: its problems are shown in the page, not by the browser.
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-thanks]')) form.noValidate = true;
  for (const host of document.querySelectorAll<HTMLElement>('[data-user-collection]:not(form)')) void embed(host);
}

if (!(LOADED in window)) {
  Object.assign(window, { [LOADED]: true });
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (event.defaultPrevented || !form.matches('form[data-user-collection]')) return;
    event.preventDefault();
    void send(form, event.submitter);
  });
  // The texts of the form, so that it can say in its language that the service does not answer.
  document.addEventListener('focusin', ({ target }) => {
    const form = (target as Element).closest<HTMLFormElement>('form[data-user-collection]');
    if (!form) return;
    // It rejects while the service is away.
    void definitionOf(formPath(form.dataset.userCollection as string, form)).then(
      ({ captcha }) => captcha && showChallenge(form, captcha),
      () => undefined,
    );
  });
  start();
  // Elements that the parser or another script adds later.
  new MutationObserver(start).observe(document, { childList: true, subtree: true });
}
