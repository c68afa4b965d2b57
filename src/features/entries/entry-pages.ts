import type { Request } from 'express';
import { html } from 'ghtml';
import type { Lease } from '../../core/schemas/schema-leases.ts';
import type { Html } from '../../platform/http/reply.ts';
import { DEFAULT_FORM_SETTINGS, formHeading, settingsIn } from '../form-settings/form-settings.ts';
import type { FindForm } from '../forms/form-pages.ts';
import { DEFAULT_ASSETS, ownLanguage, type PageAssets, pageReply } from '../forms/page.ts';
import { visitorLanguage } from '../forms/visitor-language.ts';

/** What answers browsers in place of JSON. */
export interface EntryPages {
  /** The page after a person has asked for a link: the same for every email. */
  asked(lease: Lease, req: Request): Html;
}

/** Creates the pages of own entries (spec 4.16). */
export function createEntryPages(_findForm: FindForm, assets: PageAssets = DEFAULT_ASSETS): EntryPages {
  return {
    asked({ app: { sourceAppId, form: settings = DEFAULT_FORM_SETTINGS } }, req) {
      const { language } = visitorLanguage(req, settings);
      const title = formHeading(sourceAppId, settingsIn(settings, language.tag));
      const note = html`<p class="note good"!${ownLanguage(language)}>${language.text('thanksConfirm')}</p>`;
      const main = html`<h1>${title}</h1>!${note}`;
      return pageReply({ title, main, language, status: 202, look: { sourceAppId, settings } }, assets);
    },
  };
}
