import { html } from 'ghtml';
import type { Html } from '../../api/reply.ts';
import type { FormSettings } from '../../apps/form-settings/form-settings.ts';
import { type AppError, AppNotFound } from '../../core/errors.ts';
import { ownLanguage } from '../../submissions/pages/locale.ts';
import { type PageAssets, pageReply } from '../../submissions/pages/page.ts';

interface FormOf {
  sourceAppId: string;
  settings: FormSettings;
}

/** The pages behind the link of a confirmation email (spec 4.12). */
export interface ConfirmationPages {
  /** Asks for a press of the button: programs that check links open them, and press nothing. */
  ask(form: FormOf): Html;
  confirmed(form: FormOf): Html;
  /** @param form the form, if it exists */
  refusal(error: Pick<AppError, 'status'>, form: FormOf | undefined): Html;
}

const REFUSALS: Readonly<Record<number, { title: string; text: string }>> = {
  404: {
    title: 'This link is not valid',
    text: 'Check that the address is complete. If the entry was removed, or to get another link, send the form again.',
  },
  410: {
    title: 'This link has expired',
    text: 'A link is valid for 7 days. Send the form again to get another one.',
  },
  503: {
    title: 'The service is not available at the moment',
    text: 'Wait a moment, then open the link again.',
  },
};

const OTHER = {
  title: 'The address was not confirmed',
  text: 'Open the link of the email again. If it fails again, tell the owner of the form.',
};

const NO_FORM = { title: 'This form does not exist', text: 'Check the address. The form may have been removed.' };

export function createConfirmationPages(assets: PageAssets): ConfirmationPages {
  /** A page with the heading of the form; its own texts are English. */
  function pageOf({ sourceAppId, settings }: FormOf, title: string, content: string, status = 200): Html {
    const own = ownLanguage(settings.locale);
    const name = settings.title ?? sourceAppId;
    const main = html`<h1>${name}</h1>
<div!${own}>
!${content}
</div>`;
    return pageReply({ title: `${title}: ${name}`, main, locale: settings.locale, status }, assets);
  }

  return {
    ask: (form) =>
      pageOf(
        form,
        'Confirm your email address',
        html`<p>Press the button to confirm that you entered your email address in this form.</p>
<form class="form" method="post"><button>Confirm email address</button></form>`,
      ),

    confirmed: (form) =>
      pageOf(form, 'Confirmed', html`<p class="note good">Thank you. Your email address is confirmed.</p>`),

    refusal: (error, form) => {
      const { status } = error;
      if (error instanceof AppNotFound || !form) {
        const { title, text } = status === 404 ? NO_FORM : (REFUSALS[status] ?? OTHER);
        return pageReply({ title, main: html`<h1>${title}</h1><p>${text}</p>`, status }, assets);
      }
      const { title, text } = REFUSALS[status] ?? OTHER;
      const content = html`<p class="note">${title}</p><p>${text}</p>
<p><a href="/f/${encodeURIComponent(form.sourceAppId)}">Open the form</a></p>`;
      return pageOf(form, title, content, status);
    },
  };
}
