import type { Request } from 'express';
import { html } from 'ghtml';
import { type FormSettings, settingsIn } from '../apps/form-settings.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { formFields, type PageContext, prefilled } from '../fields/markup.ts';
import { adviceFor, canShowAgain, formBody, formControls, statement } from './form-body.ts';
import type { FormPages, FormView } from './form-view.ts';
import { DEFAULT_ASSETS, ownLanguage, type PageAssets, pageReply, redirectSources } from './page.ts';
import { reasonIn, titleOf } from './visitor-language.ts';

/** Creates the pages of public forms (spec 4.5). Every text of other origin is escaped. */
export function createFormPages(assets: PageAssets = DEFAULT_ASSETS): FormPages {
  const pages: FormPages = {
    form: (given) => {
      const { language } = given;
      const view = { ...given, settings: settingsIn(given.settings, language.tag) };
      if (isClosed(view.settings)) return pageReply(closedPage(view), assets);
      if (view.refusal && !canShowAgain(view.fields)) return pages.refusal(view.refusal, language);
      const { summary, form } = formBody(view);
      const title = formTitle(view);
      const status = view.refusal?.status ?? 200;
      return pageReply(
        {
          title: status === 200 ? title : `${titleOf(language, status)}: ${title}`,
          main: `${summary}${introduction(view)}\n${form}`,
          language,
          status,
          isForm: true,
          redirects: redirectSources(view.settings),
        },
        assets,
      );
    },

    thanks: ({ sourceAppId, settings: given, language, isHeld = false }) => {
      const settings = settingsIn(given, language.tag);
      // The text of the app is for entries that are stored.
      const text =
        isHeld || settings.thanks === undefined
          ? html`<p class="note good"!${ownLanguage(language)}>${language.text(isHeld ? 'thanksHeld' : 'thanks')}</p>`
          : html`<p class="note good">${settings.thanks}</p>`;
      const title = formTitle({ sourceAppId, settings });
      const main = html`<h1>${title}</h1>!${text}`;
      return pageReply({ title, main, language }, assets);
    },

    refusal: (refusal, language) => {
      const { status } = refusal;
      const { title, text } = adviceFor(refusal, language);
      const known = reasonIn(language, refusal);
      // The advice for a 404 contains its message.
      const reason = status === 404 || known === undefined ? '' : html`<p>${statement(known, language)}</p>`;
      const main = html`<div!${ownLanguage(language)}><h1>${title}</h1>!${reason}<p>${text}</p></div>`;
      return pageReply({ title, main, language, status }, assets);
    },
  };
  return pages;
}

export function isClosed({ closesAt }: FormSettings): boolean {
  return closesAt !== undefined && closesAt.getTime() <= Date.now();
}

type Titled = Pick<FormView, 'sourceAppId' | 'settings'>;

const formTitle = ({ sourceAppId, settings }: Titled): string => settings.title ?? sourceAppId;

function introduction(view: Titled): string {
  const { description } = view.settings;
  const text = description === undefined ? '' : html`<p class="text">${description}</p>`;
  return html`<h1>${formTitle(view)}</h1>!${text}`;
}

function closedPage(view: FormView) {
  const { language, refusal } = view;
  const main = html`!${introduction(view)}<p class="note"!${ownLanguage(language)}>${language.text('closedPage')}</p>`;
  return { title: formTitle(view), main, language, status: refusal?.status ?? 200 };
}

export function pageContext(req: Request): PageContext {
  const { query } = req;
  const referrer = req.get('referer') ?? '';
  return {
    page: `${req.protocol}://${req.get('host')}${req.originalUrl}`,
    referrer: /^https?:\/\//.test(referrer) ? referrer : '',
    query: (name) => [query[name]].flat().filter((text) => typeof text === 'string'),
  };
}

export function prefilledTexts(
  fields: readonly FieldDefinition[],
  context: PageContext,
): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const field of formFields(formControls(fields))) {
    const { name, texts } = prefilled(field, context);
    if (texts) found.set(name, texts);
  }
  return found;
}
