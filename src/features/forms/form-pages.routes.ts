import { createHash, randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import { type Endpoints, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { AppError, AppNotFound, NotFound } from '../../platform/core/errors.ts';
import { setLanguage, Versioned } from '../../platform/http/reply.ts';
import { isVisit } from '../../platform/http/validation.ts';
import { type Language, languageOf } from '../../platform/languages/languages.ts';
import { CAPTCHA_PROVIDERS, CAPTCHA_WIDGETS, captchaEntry } from '../display/captcha.ts';
import { formFields, type PageContext, prefilled } from '../display/markup.ts';
import { FormControl } from '../display/presentation.ts';
import { IMAGE_TYPES, themeStyle } from '../display/theme.ts';
import type { FormImageStore } from '../form-settings/form-images.model.ts';
import {
  type FormSettings,
  isCaptchaProvider,
  isClosed,
  offeredLanguages,
  pageTitles,
  settingsIn,
} from '../form-settings/form-settings.ts';
import { formControls, type PublicForm } from './form-html.ts';
import { asksBy, type FindForm, type FormPages } from './form-pages.ts';
import { formImages } from './page.ts';
import { FILE_TEXTS, fileTexts, PROBLEM_TEXTS, problemTexts, STEP_TEXTS, stepTexts } from './script-data.ts';
import { visitorLanguage } from './visitor-language.ts';

/** The texts of the embed script. */
const TEXTS = [
  'email',
  'send',
  'leaveEmpty',
  'thanks',
  'thanksHeld',
  'thanksConfirm',
  'closed',
  'notSent',
  'text422',
] as const;
type Text = (typeof TEXTS)[number];

const textsOf = ({ text }: Language) =>
  Object.fromEntries(TEXTS.map((code) => [code, text(code)])) as Record<Text, string>;

const StepText = z.union([z.string(), z.record(z.string(), z.string())]).meta({
  id: 'FormText',
  description: 'A text with placeholders; or its plural forms, by the number that `by` names',
});
type ProblemCode = (typeof PROBLEM_TEXTS)[number];
type StepCode = (typeof STEP_TEXTS)[number];
type FileCode = (typeof FILE_TEXTS)[number];

const FormDefinition = z
  .strictObject({
    sourceAppId: z.string(),
    style: z.string().optional().meta({
      description: 'The style sheet of the theme, for the shadow root of the embedded form; absent without one',
    }),
    name: z.string().optional().meta({ description: 'The name of the app; absent without one' }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    submitLabel: z.string().nullable(),
    thanks: z.string().nullable(),
    next: z.string().nullable(),
    lang: z.string().meta({ description: 'The language of the form, a BCP 47 tag' }),
    languages: z.array(z.string()).meta({ description: 'The languages that the app offers' }),
    texts: z
      .strictObject(Object.fromEntries(TEXTS.map((code) => [code, z.string()])) as Record<Text, z.ZodString>)
      .meta({
        description: 'The texts of the service around the form; `thanksConfirm` is empty if no email asks people',
      }),
    dir: z.enum(['ltr', 'rtl']),
    closed: z.boolean().meta({ description: 'Whether every submission is refused now' }),
    honeypot: z.boolean().meta({ description: 'Whether the form contains a field for programs' }),
    proofOfWork: z.boolean().meta({ description: 'Whether a submission needs a solved challenge' }),
    images: z
      .array(
        z.strictObject({
          class: z.enum(['cover', 'logo']),
          src: z.string(),
          alt: z.string(),
          dark: z.string().optional().meta({ description: 'The path of the version for dark backgrounds' }),
        }),
      )
      .optional()
      .meta({ description: 'The images above the form, with the paths of their files; absent without any' }),
    captcha: z
      .strictObject({
        provider: z.enum(CAPTCHA_PROVIDERS),
        siteKey: z.string(),
        entry: z.string().meta({ description: 'The form entry of the token' }),
        className: z.string().meta({ description: 'The class of the element that shows the challenge' }),
        script: z.string(),
        unsolved: z.string().meta({ description: 'What a form says that is sent without a token' }),
      })
      .optional()
      .meta({ description: 'The challenge of a provider; absent without one' }),
    pages: z
      .array(z.strictObject({ page: z.int(), title: z.string(), description: z.string().optional() }))
      .optional()
      .meta({ description: 'The titles and descriptions of the pages of the form; absent without any' }),
    fields: z.array(FormControl),
    problems: z
      .strictObject(
        Object.fromEntries(PROBLEM_TEXTS.map((code) => [code, StepText])) as Record<ProblemCode, typeof StepText>,
      )
      .optional()
      .meta({ description: 'The texts of problems; absent for a form with `steps`, which have them' }),
    steps: z
      .strictObject(Object.fromEntries(STEP_TEXTS.map((code) => [code, StepText])) as Record<StepCode, typeof StepText>)
      .optional()
      .meta({ description: 'The texts of pages and problems; absent for a form without pages and conditions' }),
    files: z
      .strictObject(Object.fromEntries(FILE_TEXTS.map((code) => [code, StepText])) as Record<FileCode, typeof StepText>)
      .optional()
      .meta({ description: 'The texts of controls for files; absent for a form without one' }),
  })
  .meta({
    id: 'FormDefinition',
    example: {
      sourceAppId: 'newsletter',
      title: 'Newsletter',
      description: null,
      submitLabel: 'Subscribe',
      thanks: null,
      next: null,
      lang: 'en',
      dir: 'ltr',
      closed: false,
      honeypot: true,
      proofOfWork: false,
      fields: [],
      languages: ['en'],
      texts: textsOf(languageOf('en')),
    },
  });

const LanguageQuery = z.object({
  lang: z.unknown().optional().meta({ description: 'One of the languages of the app; also as `_lang`', example: 'de' }),
});

const LANGUAGE_HEADERS = { 'Content-Language': 'The chosen language', Vary: 'Contains `Accept-Language`' };

const PAGE_HEADERS = {
  'Content-Security-Policy': 'The policy of this page',
  'Cache-Control': '`no-store`',
  ...LANGUAGE_HEADERS,
};

const shared = {
  method: 'get',
  auth: 'form',
  tag: 'Forms',
  params: AppPath,
  query: LanguageQuery,
  response: z.string(),
  isPage: true,
  responseHeaders: PAGE_HEADERS,
} as const;

const formPageEndpoints = {
  getFormPage: {
    ...shared,
    path: '/f/:sourceAppId',
    summary: "The app's form as a page",
    description:
      'Works without JavaScript. Query parameters fill the fields that allow `prefill`. The page cannot be framed; sites embed the form with `/embed/v1.js`.',
  },
  getThanksPage: {
    ...shared,
    path: '/f/:sourceAppId/thanks',
    summary: 'The page after a submission',
    description:
      'With the query parameter `held` it says that the entries are looked at before they are stored, as after an HTML form without the proof of work that the app asks for.',
  },
  getFormImage: {
    method: 'get',
    path: '/f/:sourceAppId/images/:image',
    auth: 'form',
    tag: 'Forms',
    summary: "An image of the app's form",
    params: AppPath.extend({ image: z.enum(['logo', 'logoDark', 'cover']) }),
    query: z.object({ v: z.unknown().optional().meta({ description: 'The version of the image', example: 'A1b2' }) }),
    response: z.never(),
    isPage: true,
    downloads: IMAGE_TYPES,
    responseHeaders: {
      ETag: 'Changes with the image',
      'Cache-Control': '`immutable` where `v` is the version of the image, otherwise `no-cache`',
      'Cross-Origin-Resource-Policy': '`cross-origin`',
    },
    conditional: true,
  },
  getFormDefinition: {
    method: 'get',
    path: '/v1/forms/:sourceAppId',
    auth: 'form',
    tag: 'Public',
    summary: "The app's form as data",
    description:
      'Texts and controls of the form, from which the embed script builds it. A request with the ETag in `If-None-Match` gets 304 while the form is unchanged. A browser that comes here with a form without `method="post"` gets a page that says so (405).',
    params: AppPath,
    query: LanguageQuery,
    response: FormDefinition,
    responseHeaders: { ETag: 'Changes with the form', ...LANGUAGE_HEADERS },
    conditional: true,
    errors: [405],
  },
} as const satisfies Endpoints;

const FOREVER = 'public, max-age=31536000, immutable';

/** Each list of controls is serialized once. */
const serialized = new WeakMap<readonly FormControl[], { json: string; hash: string }>();

type FormInLanguage = PublicForm & { language: Language };

/** Returns a form as data (spec 4.5). The ETag changes with the content. */
function formDefinition({ sourceAppId, settings: given, fields, language }: FormInLanguage): Versioned {
  const { tag: lang, dir } = language;
  const settings = settingsIn(given, lang);
  const { title = null, description = null, submitLabel = null, thanks = null, next = null } = settings;
  const asks = asksBy(settings);
  const described = formControls(fields, lang);
  const images = formImages({ sourceAppId, settings });
  const texts = JSON.stringify({
    sourceAppId,
    // Undefined without a name or a theme: JSON leaves them out.
    name: settings.name,
    style: settings.theme && themeStyle(settings.theme),
    images: images.length > 0 ? images : undefined,
    title,
    description,
    submitLabel,
    thanks,
    next,
    lang,
    dir,
    languages: offeredLanguages(given),
    texts: { ...textsOf(language), thanksConfirm: asks ? language.text(asks) : '' },
    closed: isClosed(settings),
    honeypot: settings.botProtection !== 'off',
    proofOfWork: settings.botProtection === 'proof-of-work',
    captcha: captchaOf(settings, language),
    ...(settings.pages && { pages: pageTitles(settings, lang) }),
    problems: problemTexts(described, language),
    steps: stepTexts(described, language),
    files: fileTexts(described, language),
  });
  const controls = serializedControls(described);
  const json = `${texts.slice(0, -1)},"fields":${controls.json}}`;
  return new Versioned(json, `"${hashText(texts + controls.hash)}"`);
}

/** Undefined without a provider: JSON leaves it out. */
function captchaOf({ botProtection, captcha }: FormSettings, { text }: Language) {
  if (!captcha || !isCaptchaProvider(botProtection)) return undefined;
  const { script, className } = CAPTCHA_WIDGETS[botProtection];
  return {
    provider: botProtection,
    siteKey: captcha.siteKey,
    entry: captchaEntry(botProtection),
    className,
    script: script.src,
    unsolved: text('captchaUnsolved'),
  };
}

function serializedControls(controls: readonly FormControl[]): { json: string; hash: string } {
  let result = serialized.get(controls);
  if (!result) {
    const json = JSON.stringify(controls);
    result = { json, hash: hashText(json) };
    serialized.set(controls, result);
  }
  return result;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Returns the texts that a page gives the fields of its form, by control name. */
function prefilledTexts(fields: readonly FieldDefinition[], req: Request): Map<string, readonly string[]> {
  const { query } = req;
  const referrer = req.get('referer') ?? '';
  const context: PageContext = {
    page: `${req.protocol}://${req.get('host')}${req.originalUrl}`,
    referrer: /^https?:\/\//.test(referrer) ? referrer : '',
    query: (name) => [query[name]].flat().filter((text) => typeof text === 'string'),
  };
  const filled = formFields(formControls(fields)).map((field) => prefilled(field, context));
  return new Map(filled.flatMap(({ name, texts }) => (texts ? [[name, texts] as const] : [])));
}

export function formPageRoutes(findForm: FindForm, pages: FormPages, images: Pick<FormImageStore, 'find'>): Route[] {
  async function findFormFor({ sourceAppId }: { sourceAppId: string }, req: Request): Promise<FormInLanguage> {
    const form = await findForm(sourceAppId);
    if (!form) throw new AppNotFound();
    return { ...form, language: visitorLanguage(req, form.settings).language };
  }

  return routes(formPageEndpoints, {
    getFormPage: async ({ principal, req }) => {
      const form = await findFormFor(principal, req);
      return pages.form({ ...form, prefilled: prefilledTexts(form.fields, req), key: randomUUID() });
    },

    getThanksPage: async ({ principal, req }) =>
      pages.thanks({ ...(await findFormFor(principal, req)), isHeld: req.query.held !== undefined }),

    getFormImage: async ({ principal, params, query, req, res }) => {
      const { settings } = await findFormFor(principal, req);
      const image = settings.theme?.[params.image];
      const content = image && (await images.find(image.id));
      if (!image || !content) throw new NotFound('notFound');
      // Pages of other sites embed the form, also those that are isolated from other origins.
      res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      return new Versioned(content, `"${image.hash}"`, image.type, query.v === image.hash ? FOREVER : 'no-cache');
    },

    getFormDefinition: async ({ principal, req, res }) => {
      const form = await findFormFor(principal, req);
      res.vary('Accept');
      // A form without `method="post"`: its visitor has to learn that nothing was stored.
      if (isVisit(req)) {
        res.setHeader('Allow', 'POST');
        throw new AppError(405, 'sentByGet');
      }
      setLanguage(res, form.language.tag);
      return formDefinition(form);
    },
  });
}
