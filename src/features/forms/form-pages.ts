import { html } from 'ghtml';
import type { SchemaLeases } from '../../core/schemas/schema-leases.ts';
import type { Html } from '../../platform/http/reply.ts';
import type { Language } from '../../platform/languages/languages.ts';
import { marked } from '../display/marks.ts';
import {
  captchaProvider,
  DEFAULT_FORM_SETTINGS,
  type FormSettings,
  formHeading,
  isClosed,
  offeredLanguages,
  settingsIn,
} from '../form-settings/form-settings.ts';
import { shownFields } from './form-fields.ts';
import { canShowAgain, type FormView, formBody, listFields, type PublicForm, statement } from './form-html.ts';
import {
  askPath,
  DEFAULT_ASSETS,
  type FormLook,
  ownLanguage,
  type PageAssets,
  pageReply,
  redirectSources,
  toHtml,
} from './page.ts';
import { adviceAfter, isInAdvice, reasonIn, type ShownRefusal, titleOf } from './visitor-language.ts';

/** Resolves with the form of an app; undefined when no app has this id. @throws {Unavailable} */
export type FindForm = (sourceAppId: string) => Promise<PublicForm | undefined>;

/**
 * Reads forms through leases, so that a change is in force when its PUT has answered.
 * @param fileLimit the most bytes of a file
 */
export function createFormLookup(leases: Pick<SchemaLeases, 'hold'>, fileLimit: number): FindForm {
  return async (sourceAppId) => {
    const lease = await leases.hold(sourceAppId);
    if (!lease) return undefined;
    const settings = lease.app.form ?? DEFAULT_FORM_SETTINGS;
    return { sourceAppId, settings, fields: shownFields(lease, fileLimit) };
  };
}

export type FormPages = ReturnType<typeof createFormPages>;

/** Creates the pages of public forms (spec 4.5). Every text of other origin is escaped. */
export function createFormPages(assets: PageAssets = DEFAULT_ASSETS) {
  /** A refusal without a form. */
  function refusalPage(refusal: ShownRefusal, language: Language, look?: FormLook): Html {
    const { status } = refusal;
    const title = titleOf(language, refusal);
    const known = reasonIn(language, refusal);
    const reason = isInAdvice(refusal) || known === undefined ? '' : html`<p>${statement(known, language)}</p>`;
    const advice = adviceAfter(refusal, language);
    const main = html`<div!${ownLanguage(language)}><h1>${title}</h1>!${reason}<p>${advice}</p></div>`;
    return pageReply({ title, main, language, status, look }, assets);
  }

  return {
    /** The form; after a refusal with the entries, their problems, and its status. */
    form(given: FormView): Html {
      const { language, refusal } = given;
      const view = { ...given, settings: settingsIn(given.settings, language.tag) };
      const status = refusal?.status ?? 200;
      const title = formTitle(view);
      if (isClosed(view.settings)) {
        const note = html`<p class="note"!${ownLanguage(language)}>${language.text('closedPage')}</p>`;
        const main = introduction(view) + note + entryLink(view);
        return pageReply({ title, main, language, status, look: view }, assets);
      }
      const fields = listFields(view);
      if (refusal && !canShowAgain(fields)) return refusalPage(refusal, language, view);
      const { summary, form, hasSteps } = formBody(view, fields);
      return pageReply(
        {
          title: refusal ? `${titleOf(language, refusal)}: ${title}` : title,
          main: `${summary}${introduction(view)}\n${form}${entryLink(view)}`,
          language,
          status,
          look: view,
          isForm: true,
          hasSteps,
          redirects: redirectSources(view.settings),
          captcha: captchaProvider(view.settings),
        },
        assets,
      );
    },

    /**
     * The page after a submission. `isHeld`: it is not stored until an operator releases it, and
     * no email asks for a confirmation before.
     */
    thanks({ isHeld = false, ...given }: Titled & Pick<FormView, 'language'> & { isHeld?: boolean }): Html {
      const { sourceAppId, language } = given;
      const settings = settingsIn(given.settings, language.tag);
      // The text of the app is for entries that are stored.
      const text =
        isHeld || settings.thanks === undefined
          ? html`<p class="note good thanks"!${ownLanguage(language)}>${language.text(isHeld ? 'thanksHeld' : 'thanks')}</p>`
          : html`<p class="note good thanks">!${toHtml(marked(settings.thanks))}</p>`;
      const asks = isHeld ? undefined : asksBy(settings);
      const confirm = asks ? html`<p!${ownLanguage(language)}>${language.text(asks)}</p>` : '';
      const title = formTitle({ sourceAppId, settings });
      const main = html`<h1>${title}</h1>!${text}!${confirm}!${entryLink(given)}`;
      return pageReply({ title, main, language, look: given }, assets);
    },

    refusal: refusalPage,
  };
}

/** The text that announces an email, the same for new and known people. */
export function asksBy({ doubleOptIn, existing }: Pick<FormSettings, 'doubleOptIn' | 'existing'>) {
  if (doubleOptIn) return 'thanksConfirm';
  return existing === 'confirm' ? 'thanksKnown' : undefined;
}

type Titled = Pick<FormView, 'sourceAppId' | 'settings'>;

/** The way to one's own entry; empty for an app that offers none (spec 4.16). */
function entryLink({ sourceAppId, settings, language }: Titled & Pick<FormView, 'language'>): string {
  if (settings.own === undefined) return '';
  const path = askPath(sourceAppId, offeredLanguages(settings).length > 1 ? language.tag : undefined);
  return html`
<p class="own"!${ownLanguage(language)}><a href="${path}">${language.text('entryLink')}</a></p>`;
}

const formTitle = ({ sourceAppId, settings }: Titled): string => formHeading(sourceAppId, settings);

function introduction(view: Titled): string {
  const { description } = view.settings;
  const text = description === undefined ? '' : html`<p class="text">!${toHtml(marked(description))}</p>`;
  return html`<h1>${formTitle(view)}</h1>!${text}`;
}
