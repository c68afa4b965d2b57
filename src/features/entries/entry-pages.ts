import type { Request } from 'express';
import { html } from 'ghtml';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import { type AppError, AppNotFound } from '../../platform/core/errors.ts';
import type { Html } from '../../platform/http/reply.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { type FormField, formFields, hiddenInput, honeypot, type Markup } from '../display/markup.ts';
import {
  captchaProvider,
  DEFAULT_FORM_SETTINGS,
  formHeading,
  offeredLanguages,
  settingsIn,
} from '../form-settings/form-settings.ts';
import { captchaHtml, fieldHtml, listProblems, type PublicForm, summaryHtml } from '../forms/form-html.ts';
import type { FindForm } from '../forms/form-pages.ts';
import { readForm } from '../forms/form-submission.ts';
import {
  askPath,
  DEFAULT_ASSETS,
  type FormLook,
  formPath,
  ownLanguage,
  type PageAssets,
  pageReply,
  toHtml,
} from '../forms/page.ts';
import { pageData } from '../forms/script-data.ts';
import { adviceAfter, issueIn, titleOf, visitorLanguage } from '../forms/visitor-language.ts';
import { ACTIONS, CONTROLS } from './entry-form.ts';
import { type EntryView, entryHtml, type Typed } from './entry-html.ts';

/** A form in the language of its visitor. */
export interface FormOf extends PublicForm {
  language: Language;
}

export type EntryPages = ReturnType<typeof createEntryPages>;

/** Creates the pages of one's own entry (spec 4.16). */
export function createEntryPages(findForm: FindForm, assets: PageAssets = DEFAULT_ASSETS) {
  interface Content {
    title: string;
    main: string;
    status?: number;
    isForm?: boolean;
    hasSteps?: boolean;
  }

  /** A page about the entry of a link, under the heading of its form. */
  function privatePage({ sourceAppId, settings, language }: FormOf, content: Content): Html {
    const name = headingOf({ sourceAppId, settings }, language);
    const main = html`<h1>${name}</h1>
!${content.main}`;
    const title = `${content.title}: ${name}`;
    return pageReply({ ...content, title, main, language, look: { sourceAppId, settings }, isPrivate: true }, assets);
  }

  /** A page with texts of the service only. */
  const textPage = (form: FormOf, content: Content): Html =>
    privatePage(form, {
      ...content,
      main: html`<div!${ownLanguage(form.language)}>
!${content.main}
</div>`,
    });

  const headingOf = ({ sourceAppId, settings }: Pick<FormOf, 'sourceAppId' | 'settings'>, { tag }: Language) =>
    formHeading(sourceAppId, settingsIn(settings, tag));

  /** The page that asks for the email of an entry. */
  function ask({ sourceAppId, settings, language }: Omit<FormOf, 'fields'>, refused?: AppError, email = ''): Html {
    const { text } = language;
    const issues = refused?.issues?.map((issue) => issueIn(language, issue)) ?? [];
    const [field] = formFields([], text('email')) as [FormField];
    const shown = { ...field, texts: [email], problem: issues.find(({ path }) => path === field.id)?.message };
    const view = { language, issues, ...(refused && { refusal: refused }) };
    const summary = refused ? summaryHtml(view, listProblems(view, [shown])) : '';
    const hidden = offeredLanguages(settings).length > 1 ? toHtml([hiddenInput('_lang', language.tag)]) : '';
    const trap = settings.botProtection === 'off' ? '' : toHtml([honeypot(text('leaveEmpty'))]);
    const hasProof = settings.botProtection === 'proof-of-work';
    const script = hasProof ? html`<noscript><p class="note">${text('entryNeedsScript')}</p></noscript>` : '';
    const proof = hasProof ? html` data-proof="/v1/forms/${sourceAppId}/challenge"` : '';
    const button: Markup = ['button', {}, text('entryAskButton')];
    const name = headingOf({ sourceAppId, settings }, language);
    const main = html`!${summary}<h1>${name}</h1>
<div!${ownLanguage(language)}>
<p>${text('entryAsk')}</p>
!${script}<form class="form" method="post" action="/v1/forms/${sourceAppId}/entry-link" data-entry data-user-collection="${sourceAppId}" data-thanks data-not-sent="${text('notSent')}" data-page="${pageData([], language)}"!${proof}>
!${hidden}!${fieldHtml(shown)}
!${trap}
!${captchaHtml(settings)}!${toHtml([button])}
</form>
</div>`;
    const title = `${refused ? titleOf(language, refused) : text('entryLink')}: ${name}`;
    const look = { sourceAppId, settings };
    const captcha = captchaProvider(settings);
    return pageReply({ title, main, language, status: refused?.status ?? 200, look, isForm: true, captcha }, assets);
  }

  /** Leads to a new link. */
  function askLink({ sourceAppId, settings, language }: FormOf): string {
    const path = askPath(sourceAppId, offeredLanguages(settings).length > 1 ? language.tag : undefined);
    return html`
<p><a href="${path}">${language.text('entryAnother')}</a></p>`;
  }

  const formOf = async ({ appId }: Request) =>
    appId === undefined ? undefined : await findForm(appId).catch(() => undefined);

  /** The page after a refusal of a request with the link of an entry, or for the page before it. */
  async function linkRefusal(error: AppError, req: Request): Promise<Html> {
    const known = await formOf(req);
    const { language } = visitorLanguage(req, known?.settings);
    const { text } = language;
    const { status } = error;
    if (!known || error instanceof AppNotFound || (status === 404 && known.settings.own === undefined)) {
      return refusal(error, req, known, status === 403 ? text('entryElsewhere') : undefined);
    }
    const form: FormOf = { ...known, language };
    const [title, advice] = ofLink(error, language);
    const main = html`<p class="note">${title}</p>
<p>${advice}</p>!${status === 404 || status === 410 ? askLink(form) : ''}`;
    return textPage(form, { title, main, status });
  }

  /** The page after another refusal, also of an app that does not exist or offers no entries. */
  function refusal(error: AppError, req: Request, form: PublicForm | undefined, advice?: string): Html {
    const { status } = error;
    const { language } = visitorLanguage(req, form?.settings);
    const { text } = language;
    if (!form || error instanceof AppNotFound) {
      const title = titleOf(language, error);
      const main = html`<div!${ownLanguage(language)}><h1>${title}</h1><p>${advice ?? adviceAfter(error, language)}</p></div>`;
      return pageReply({ title, main, language, status, isPrivate: true }, assets);
    }
    const main = html`<p class="note">${text('entryOff')}</p>
<p><a href="${formPath(form.sourceAppId)}">${text('openForm')}</a></p>`;
    return textPage({ ...form, language }, { title: text('entryOff'), main, status });
  }

  return {
    ask,

    /** The page after a person has asked for a link: the same for every email. */
    asked({ app }: Lease, req: Request): Html {
      const form: FormLook & Pick<FormOf, 'settings'> = {
        sourceAppId: app.sourceAppId,
        settings: app.form ?? DEFAULT_FORM_SETTINGS,
      };
      const { language } = visitorLanguage(req, form.settings, langOf(req));
      const { text } = language;
      const name = headingOf(form, language);
      const main = html`<h1>${name}</h1>
<div!${ownLanguage(language)}>
<p class="note good">${text('entryAsked')}</p>
</div>`;
      return pageReply({ title: `${text('entryLink')}: ${name}`, main, language, status: 202, look: form }, assets);
    },

    /** The page of a link: a button and no value. Programs that check links press nothing. */
    closed(form: FormOf): Html {
      const { text } = form.language;
      const main = html`<p>${text('entryOpen')}</p>
<form class="form" method="post"><button name="${CONTROLS.action}" value="show">${text('entryOpenButton')}</button></form>`;
      return textPage(form, { title: text('entryTitle'), main });
    },

    /** An entry, after a save or with what a person typed. */
    entry(view: EntryView, state: { typed?: Typed; isSaved?: boolean } = {}): Html {
      const { form, language } = view;
      const { typed, isSaved } = state;
      const shown = entryHtml(view, state);
      const own = { ...form, language };
      const { text } = language;
      if (typed && !shown) {
        const main = html`<p class="note">${text(typed.isOutdated ? 'entryChangedTitle' : 'title400')}</p>
<p>${text('text400')}</p>`;
        return textPage(own, { title: text('entryTitle'), main, status: typed.refusal.status });
      }
      const { main = '', hasForm: isForm = false, hasSteps = false } = shown ?? {};
      const outdated = typed?.isOutdated ? text('entryChangedTitle') : typed && titleOf(language, typed.refusal);
      const title = outdated ?? text(isSaved ? 'entrySaved' : 'entryTitle');
      return privatePage(own, { title, main, status: typed?.refusal.status ?? 200, isForm, hasSteps });
    },

    /** Asks once more before an erasure. */
    eraseAsk(form: FormOf, action: string): Html {
      const { text } = form.language;
      const [erase, back] = [text('entryEraseButton'), text('entryBack')];
      const main = html`<p>${text('entryEraseAsk')}</p>
<form class="form actions" method="post" action="${action}">
<button name="${CONTROLS.action}" value="${ACTIONS.erase}">${erase}</button>
<button class="plain" name="${CONTROLS.action}" value="show">${back}</button>
</form>`;
      return textPage(form, { title: text('entryErase'), main });
    },

    erased(form: FormOf): Html {
      const { text } = form.language;
      const main = html`<p class="note good">${text('entryErased')}</p>`;
      return textPage(form, { title: text('entryErased'), main });
    },

    refusal: linkRefusal,

    /** The page after a refusal of a person who asked for a link with a form. */
    async askRefusal(error: AppError, req: Request): Promise<Html> {
      const form = await formOf(req);
      if (!form || form.settings.own === undefined || error.status === 404) return refusal(error, req, form);
      const { email = '' } = req.form ? readForm(req.form, NO_KEYS) : {};
      const { language } = visitorLanguage(req, form.settings, langOf(req));
      return ask({ ...form, language }, error, email.length > MAX_EMAIL ? '' : email);
    },
  };
}

/** A text that is no email is shown again up to this length. */
const MAX_EMAIL = 1_000;

/** What a page says after a refusal of a request with a link. */
function ofLink(error: AppError, language: Language): [title: string, advice: string] {
  const { text } = language;
  if (error.status === 404) return [text('linkInvalidTitle'), text('entryInvalid')];
  if (error.status === 410) return [text('linkExpiredTitle'), text('entryExpired')];
  if (error.status === 403) return [text('title403'), text('entryElsewhere')];
  return [titleOf(language, error), error.status === 503 ? text('linkLater') : adviceAfter(error, language)];
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** The control `_lang` of a form that was sent. */
const langOf = ({ form }: Request): string | undefined => form && readForm(form, NO_KEYS).controls.lang;
