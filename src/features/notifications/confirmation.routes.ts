import type { Request } from 'express';
import { html } from 'ghtml';
import { z } from 'zod';
import { type Endpoints, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import { type AppError, AppNotFound } from '../../platform/core/errors.ts';
import type { Refuse } from '../../platform/http/error-handlers.ts';
import type { Html } from '../../platform/http/reply.ts';
import { prefersPage } from '../../platform/http/validation.ts';
import type { Code } from '../../platform/languages/catalogue.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { shownLines } from '../../platform/mail/content.ts';
import { formHeading, offeredLanguages, settingsIn } from '../form-settings/form-settings.ts';
import type { PublicForm } from '../forms/form-html.ts';
import type { FindForm } from '../forms/form-pages.ts';
import { DEFAULT_ASSETS, formPath, ownLanguage, type PageAssets, pageReply } from '../forms/page.ts';
import { visitorLanguage } from '../forms/visitor-language.ts';
import { type ConfirmationService, LINK_VALID_MS } from './confirmation.ts';
import { changedValues, type EntryValue } from './entry-values.ts';

const LinkPath = AppPath.extend({
  token: z.string().meta({ description: 'From the link of the email', example: 'AZUT-LSqfsW2QYpQYHr3qgGX5dNUAA' }),
});

const shared = {
  path: '/f/:sourceAppId/confirm/:token',
  auth: 'form',
  tag: 'Forms',
  params: LinkPath,
  response: z.string(),
  isPage: true,
  responseHeaders: { 'Content-Security-Policy': 'The policy of this page', 'Cache-Control': '`no-store`' },
  errors: [410],
} as const;

/** The pages behind the link of an email that asks a person (spec 4.12). */
const confirmationEndpoints = {
  getConfirmationPage: {
    ...shared,
    method: 'get',
    summary: 'The page behind the link of a confirmation email',
    description: 'Shows a button, no value, and confirms nothing, because programs that check emails open their links.',
  },
  confirmEmail: {
    ...shared,
    method: 'post',
    summary: 'Confirm an email address or a change',
    description:
      'Sets `confirmedAt` of the record, or stores the waiting change and shows its values. A repeat changes nothing and shows none. A body is ignored.',
  },
} as const satisfies Endpoints;

interface FormOf extends PublicForm {
  language: Language;
}

/** The texts after a refusal, by status. */
const REFUSALS: Readonly<Record<number, { title: Code; text: Code }>> = {
  404: { title: 'linkInvalidTitle', text: 'linkInvalid' },
  410: { title: 'linkExpiredTitle', text: 'linkExpired' },
  400: { title: 'title400', text: 'text400' },
  409: { title: 'title409', text: 'text409' },
  413: { title: 'title413', text: 'text413' },
  503: { title: 'title503', text: 'linkLater' },
};

const ASKS = {
  address: ['confirmTitle', 'confirmAsk', 'confirmButton'],
  change: ['changeTitle', 'changeAsk', 'changeButton'],
} as const;

const OTHER = { title: 'notConfirmedTitle', text: 'notConfirmed' } as const;
const NO_FORM = { title: 'title404', text: 'text404' } as const;
const VALID_DAYS = { days: LINK_VALID_MS / 86_400_000 };

/** The pages of confirmation links, and their refusals. @param assets of the pages */
export function createConfirmationPages(
  confirmations: Pick<ConfirmationService, 'stateOf' | 'confirm'>,
  findForm: FindForm,
  assets: PageAssets = DEFAULT_ASSETS,
) {
  function renderPage(form: FormOf, title: string, content: string, status = 200): Html {
    const { sourceAppId, settings, language } = form;
    const name = formHeading(sourceAppId, settingsIn(settings, language.tag));
    const main = html`<h1>${name}</h1>
<div!${ownLanguage(language)}>
!${content}
</div>`;
    return pageReply({ title: `${title}: ${name}`, main, language, status, look: form }, assets);
  }

  /** Requires a press of the button: programs that check links open them, and press nothing. */
  function askPage(form: FormOf, of: 'address' | 'change'): Html {
    const { text } = form.language;
    const [title, ask, button] = ASKS[of];
    const content = html`<p>${text(ask)}</p>
<form class="form" method="post"><button>${text(button)}</button></form>`;
    return renderPage(form, text(title), content);
  }

  function donePage(form: FormOf, of: 'address' | 'change', values: readonly EntryValue[] = []): Html {
    const { text } = form.language;
    const done = text(of === 'address' ? 'confirmed' : 'thanks');
    const content = html`<p class="note good">${done}</p>!${valueList(values)}`;
    return renderPage(form, text('confirmedTitle'), content);
  }

  async function refusalPage(error: AppError, req: Request): Promise<Html> {
    const { status } = error;
    const form = req.appId === undefined ? undefined : await findForm(req.appId).catch(() => undefined);
    const { language } = visitorLanguage(req, form?.settings);
    const isOfLink = form && !(error instanceof AppNotFound);
    const codes = isOfLink || status !== 404 ? (REFUSALS[status] ?? OTHER) : NO_FORM;
    const title = language.text(codes.title);
    const text = language.text(codes.text, VALID_DAYS);
    if (!isOfLink) {
      const main = html`<div!${ownLanguage(language)}><h1>${title}</h1><p>${text}</p></div>`;
      return pageReply({ title, main, language, status, look: form }, assets);
    }
    const query = offeredLanguages(form.settings).length > 1 ? `?lang=${language.tag}` : '';
    const content = html`<p class="note">${title}</p><p>${text}</p>
<p><a href="${formPath(form.sourceAppId)}${query}">${language.text('openForm')}</a></p>`;
    return renderPage({ ...form, language }, title, content, status);
  }

  async function formOf(sourceAppId: string, req: Request): Promise<FormOf> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return { ...form, ...visitorLanguage(req, form.settings) };
  }

  const refuse: Refuse = async (error, req) => (prefersPage(req) ? refusalPage(error, req) : undefined);

  const confirmationRoutes = routes(confirmationEndpoints, {
    getConfirmationPage: async ({ params: { sourceAppId, token }, req }) => {
      const { asked, isDone } = await confirmations.stateOf(sourceAppId, token);
      const form = await formOf(sourceAppId, req);
      return isDone ? donePage(form, asked) : askPage(form, asked);
    },

    confirmEmail: async ({ params: { sourceAppId, token }, req }) => {
      const { asked, change } = await confirmations.confirm(sourceAppId, token);
      const form = await formOf(sourceAppId, req);
      const to = { tag: form.language.tag, timeZone: form.settings.timeZone };
      return donePage(form, asked, change && changedValues(change, form.fields, to));
    },
  });

  return { routes: confirmationRoutes, refuse };
}

/** Values under their names, as an email shows them. */
function valueList(values: readonly EntryValue[]): string {
  const items = values.map(
    ({ name, nameHtml, value }) => html`
<dt dir="auto">!${nameHtml ?? html`${name}`}</dt>
<dd class="text" dir="auto">${shownLines(value).join('\n')}</dd>`,
  );
  return items.length === 0
    ? ''
    : html`
<dl>!${items.join('')}
</dl>`;
}
