import { Readable } from 'node:stream';
import type { Request } from 'express';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import {
  type AppError,
  AppNotFound,
  Forbidden,
  InvalidInput,
  NotFound,
  PreconditionFailed,
} from '../../platform/core/errors.ts';
import type { Refuse } from '../../platform/http/error-handlers.ts';
import { Download, type Html, JsonStream } from '../../platform/http/reply.ts';
import { prefersPage } from '../../platform/http/validation.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import { formBody } from '../form-bodies/form-bodies.ts';
import type { FormEntries } from '../form-bodies/form-body.ts';
import { offeredLanguages } from '../form-settings/form-settings.ts';
import type { FormFiles } from '../forms/form-files.ts';
import type { FindForm } from '../forms/form-pages.ts';
import { formPath } from '../forms/page.ts';
import { issueIn, languageToKeep, visitorLanguage } from '../forms/visitor-language.ts';

import type { EntryService } from './entries.service.ts';
import { downloadOf } from './entry-download.ts';
import { ACTIONS, CONTROLS, leftToSave, readSave, type Save, textOf } from './entry-form.ts';
import { type EntryView, storedDigests, valueInWords } from './entry-html.ts';
import type { EntryPages, FormOf } from './entry-pages.ts';

const LinkPath = AppPath.extend({
  token: z.string().meta({ description: 'From the link of the email', example: 'AZUT-LSqfsW2QYpQYHr3qgGX5dNUAA' }),
});

const PRIVATE_HEADERS = {
  'Content-Security-Policy': 'The policy of this page',
  'Cache-Control': '`no-store`',
  'Referrer-Policy': '`no-referrer`',
  'X-Robots-Tag': '`noindex`',
};

const shared = { auth: 'form', tag: 'Forms', response: z.string(), isPage: true } as const;
const ofLink = {
  ...shared,
  path: '/f/:sourceAppId/entry/:token',
  params: LinkPath,
  responseHeaders: PRIVATE_HEADERS,
} as const;

/** The pages of one's own entry (spec 4.16). */
const entryPageEndpoints = {
  getEntryAskPage: {
    ...shared,
    method: 'get',
    path: '/f/:sourceAppId/entry',
    summary: "The page that asks for a link to one's own entry",
    description: 'Its form goes to `POST /v1/forms/:sourceAppId/entry-link`. 404 while `own` is unset.',
    params: AppPath,
    responseHeaders: { 'Content-Security-Policy': 'The policy of this page', 'Cache-Control': '`no-store`' },
  },
  getEntryPage: {
    ...ofLink,
    method: 'get',
    summary: "The page behind the link to one's own entry",
    description: 'Shows a button, no value, and changes nothing, because programs that check emails open their links.',
    errors: [410],
  },
  openEntryPage: {
    ...ofLink,
    method: 'post',
    summary: "Show, change, take away or erase one's own entry",
    description:
      'Of the form on that page, by its control `_do`: `save` changes what the person changed on the page, `erase` asks once more, `erase-confirmed` erases, `export` downloads; without it, or with any other text, the page shows the entry. 400 and 412 are the page again, with what the person typed. A request from another site is 403; `Origin: null` passes with `Sec-Fetch-Site: same-origin` only.',
    body: formBody,
    limit: 'submit',
    // An erasure or a download lasts as long as the data.
    load: 'long',
    slow: true,
    downloads: ['application/json', 'application/zip'],
    errors: [409, 410, 412, 413, 429],
  },
} as const satisfies Endpoints;

export function createEntryPageRoutes(deps: {
  entries: EntryService;
  pages: EntryPages;
  findForm: FindForm;
  /** The files that the entries of a form name. */
  knownFiles: FormFiles['known'];
}) {
  const { entries, pages, findForm, knownFiles } = deps;

  /** The form of an entry, in the language of its visitor. @throws {AppNotFound} */
  async function formOf(sourceAppId: string, req: Request): Promise<FormOf> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return { ...form, language: visitorLanguage(req, form.settings).language };
  }

  /** Stores what a person changed. A save that has happened already changes nothing. */
  async function save(view: EntryView, body: FormEntries, req: Request, leftMs: () => number): Promise<Html> {
    const { entry, form, language } = view;
    const sent = readSave(body, entry);
    try {
      if (sent.state !== entry.etag) throw new PreconditionFailed('recordChanged');
      const lang = languageToKeep({ language }, form.settings);
      const changed = await entries.change(entry, sent.edit, { tags: [entry.etag], leftMs, isForm: true, lang });
      return pages.entry({ ...view, entry: changed }, { isSaved: true });
    } catch (error) {
      const isOutdated = error instanceof PreconditionFailed;
      if (!isOutdated && !(error instanceof InvalidInput && error.issues)) throw error;
      const now = isOutdated ? await reopened(view, req) : view;
      return refused(now, sent, body, error);
    }
  }

  async function reopened(view: EntryView, req: Request): Promise<EntryView> {
    const { sourceAppId = '', token = '' } = req.params as Partial<Record<string, string>>;
    const entry = await entries.open(sourceAppId, token, req.ip);
    return { ...view, form: await formOf(sourceAppId, req), entry };
  }

  /** The page again, with what the person typed. What the person did not touch is as stored. */
  async function refused(view: EntryView, sent: Save, body: FormEntries, error: AppError): Promise<Html> {
    const { entry, language } = view;
    const { status, code, message, params, issues = [] } = error;
    const isOutdated = error instanceof PreconditionFailed;
    // The files of the person are left out while the database is away.
    const known = await knownFiles(body, entry.lease).catch(() => new Map());
    const stored = storedDigests(view);
    const texts = isOutdated ? leftToSave(sent, entry, stored, known) : sent.touched;
    if (isOutdated && sent.touched.size > 0 && texts.size === 0) return pages.entry(view, { isSaved: true });
    const shown = isOutdated ? changedSince(view, sent, stored, texts) : issues.map((one) => issueIn(language, one));
    const refusal = { status, code, message, ...(params && { params }) };
    return pages.entry(view, { typed: { texts, known, issues: shown, refusal, isOutdated } });
  }

  return {
    routes: routes(entryPageEndpoints, {
      getEntryAskPage: async ({ principal, req }) => {
        const form = await formOf(principal.sourceAppId, req);
        if (form.settings.own === undefined) throw new NotFound('noOwnEntries');
        return pages.ask(form);
      },

      getEntryPage: async ({ params: { sourceAppId, token }, req }) => {
        await entries.open(sourceAppId, token, req.ip);
        return pages.closed(await formOf(sourceAppId, req));
      },

      openEntryPage: async ({ params: { sourceAppId, token }, body, req, res, leftMs, closed }) => {
        if (!isFromOwnPage(req)) throw new Forbidden('originRefused');
        const entry = await entries.open(sourceAppId, token, req.ip);
        const { language, ...form } = await formOf(sourceAppId, req);
        const view = { form, entry, language, action: actionOf(req, form, language.tag) };
        const action = body && textOf(body, CONTROLS.action);
        if (body && action === ACTIONS.save) return save(view, body, req, leftMs);
        if (action === ACTIONS.askErase) return pages.eraseAsk({ ...form, language }, view.action);
        if (action === ACTIONS.erase) {
          await entries.erase(entry);
          return pages.erased({ ...form, language });
        }
        if (action === ACTIONS.download) {
          res.setHeader('Cache-Control', 'no-store');
          const file = await downloadOf(entry, await entries.export(entry, closed()), req);
          // A browser would show the JSON in the place of the page.
          return file instanceof JsonStream ? jsonFile(file) : file;
        }
        return pages.entry(view);
      },
    }) satisfies Route[],

    refuse: (async (error, req) => (prefersPage(req) ? pages.refusal(error, req) : undefined)) satisfies Refuse,
    refuseAsk: (async (error, req) => (prefersPage(req) ? pages.askRefusal(error, req) : undefined)) satisfies Refuse,
  };
}

/** What is stored now in fields that the person changed, and that were changed since. */
function changedSince(
  view: EntryView,
  sent: Save,
  stored: ReadonlyMap<string, string>,
  texts: Save['touched'],
): Issue[] {
  const { form, entry, language } = view;
  return form.fields.flatMap((field): Issue[] => {
    const { key } = field;
    if (!texts.has(key) || sent.shown.get(key) === stored.get(key)) return [];
    const words = valueInWords(field, entry.data[key], view);
    const value = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words || '–';
    return [{ path: `data.${key}`, code: 'invalid', message: language.text('entryStoredNow', { value }) }];
  });
}

const jsonFile = (json: JsonStream): Download =>
  new Download('entry.json', 'application/json', Readable.from(json.text()));

/** The most characters of a stored value beside what a person typed. */
const MAX_WORDS = 300;

/** The path of the page, in the language that its visitor has. */
function actionOf({ params }: Request, { sourceAppId, settings }: Omit<FormOf, 'language'>, tag: string): string {
  const path = `${formPath(sourceAppId)}/entry/${params.token}`;
  return offeredLanguages(settings).length > 1 ? `${path}?lang=${tag}` : path;
}

/**
 * Whether a page of the service sent the request, or no browser did: also a site whose requests
 * pass otherwise must not press the buttons of a person.
 */
function isFromOwnPage({ headers, hasOwnOrigin }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined) return hasOwnOrigin === true;
  return site === undefined || site === 'same-origin' || site === 'none';
}
