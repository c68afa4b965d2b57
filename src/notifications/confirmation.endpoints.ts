import type { Request } from 'express';
import { html } from 'ghtml';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../api/endpoint.ts';
import type { Html } from '../api/reply.ts';
import { AppPath } from '../apps/apps.contract.ts';
import type { FormSettings } from '../apps/form-settings.ts';
import { type AppError, AppNotFound } from '../core/errors.ts';
import type { FindForm, PublicForm } from '../submissions/form-view.ts';
import { DEFAULT_ASSETS, ownLanguage, type PageAssets, pageReply } from '../submissions/page.ts';
import type { ConfirmationService } from './confirmation.ts';

const LinkPath = AppPath.extend({
  token: z.string().meta({ description: 'From the link of the email', example: 'AZUT-LSqfsW2QYpQYHr3qgGX5dNUAA' }),
});

const PAGE_HEADERS = {
  'Content-Security-Policy': 'The policy of this page',
  'Cache-Control': '`no-store`',
};

const shared = {
  path: '/f/:sourceAppId/confirm/:token',
  auth: 'form',
  tag: 'Forms',
  params: LinkPath,
  response: z.string(),
  isPage: true,
  responseHeaders: PAGE_HEADERS,
  errors: [410],
} as const;

/** The pages behind the link of a confirmation email (spec 4.12). */
const confirmationEndpoints = {
  getConfirmationPage: {
    ...shared,
    method: 'get',
    summary: 'The page behind the link of a confirmation email',
    description: 'Shows a button and confirms nothing, because programs that check emails open their links.',
  },
  confirmEmail: {
    ...shared,
    method: 'post',
    summary: 'Confirm an email address',
    description: 'Sets `confirmedAt` of the record. A repeat changes nothing. A body is ignored.',
  },
} as const satisfies Endpoints;

interface FormOf {
  sourceAppId: string;
  settings: FormSettings;
}

interface ConfirmationPages {
  /** Requires a press of the button: programs that check links open them, and press nothing. */
  ask(form: FormOf): Html;
  confirmed(form: FormOf): Html;
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

export function createConfirmationPages(assets: PageAssets = DEFAULT_ASSETS): ConfirmationPages {
  /** Renders a page with the heading of the form; its own texts are English. */
  function renderPage({ sourceAppId, settings }: FormOf, title: string, content: string, status = 200): Html {
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
      renderPage(
        form,
        'Confirm your email address',
        html`<p>Press the button to confirm that you entered your email address in this form.</p>
<form class="form" method="post"><button>Confirm email address</button></form>`,
      ),

    confirmed: (form) =>
      renderPage(form, 'Confirmed', html`<p class="note good">Thank you. Your email address is confirmed.</p>`),

    refusal: (error, form) => {
      const { status } = error;
      if (error instanceof AppNotFound || !form) {
        const { title, text } = status === 404 ? NO_FORM : (REFUSALS[status] ?? OTHER);
        return pageReply({ title, main: html`<h1>${title}</h1><p>${text}</p>`, status }, assets);
      }
      const { title, text } = REFUSALS[status] ?? OTHER;
      const content = html`<p class="note">${title}</p><p>${text}</p>
<p><a href="/f/${encodeURIComponent(form.sourceAppId)}">Open the form</a></p>`;
      return renderPage(form, title, content, status);
    },
  };
}

export function confirmationRoutes(
  confirmations: Pick<ConfirmationService, 'isConfirmed' | 'confirm'>,
  findForm: FindForm,
  pages: ConfirmationPages,
): Route[] {
  async function formOf(sourceAppId: string): Promise<PublicForm> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return form;
  }

  return routes(
    confirmationEndpoints,
    {
      getConfirmationPage: async ({ params: { sourceAppId, token } }) => {
        const isConfirmed = await confirmations.isConfirmed(sourceAppId, token);
        const form = await formOf(sourceAppId);
        return isConfirmed ? pages.confirmed(form) : pages.ask(form);
      },

      confirmEmail: async ({ params: { sourceAppId, token } }) => {
        await confirmations.confirm(sourceAppId, token);
        return pages.confirmed(await formOf(sourceAppId));
      },
    },
    async (error, req) => pages.refusal(error, await formIn(req, findForm)),
  );
}

/** Resolves with the form of the path, to link to it; undefined when it cannot be read. */
async function formIn({ appId }: Request, findForm: FindForm): Promise<PublicForm | undefined> {
  return appId === undefined ? undefined : findForm(appId).catch(() => undefined);
}
