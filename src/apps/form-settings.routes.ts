import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { AppPath } from '../api/parameters.ts';
import { parseTags, SentTime, Timestamp } from '../api/validation.ts';
import { byLanguage, FIELD_KEY_PATTERN } from '../fields/base/kind.ts';
import { MAX_PAGES } from '../fields/conditions.ts';
import { IMAGE_BYTES, type ImageName, THEME_CORNERS, THEME_FONTS, THEME_SCHEMES } from '../fields/theme.ts';
import { canonicalTimeZone, normalizeEmail } from '../platform/core/identifiers.ts';
import { isOrigin, parseRedirectUrl } from '../platform/core/web-origin.ts';
import { code, problem } from '../platform/languages/problems.ts';
import { canonicalTag, isCanonicalTag, MAX_LANGUAGES } from '../platform/languages/tags.ts';
import { parseDataUrl, type SentImage } from './form-images.ts';
import type { FormSettingsService, FormSettingsView, SentSettings } from './form-settings.service.ts';
import {
  BOT_PROTECTIONS,
  CAPTCHA_OUTAGES,
  type CountedOrigin,
  EXISTING,
  type FormTexts,
  type FormTheme,
  NOTIFY_TIMES,
  type PageTitle,
  PLACEHOLDER,
  REPLY_TIMES,
  type Reply,
  type ReplyTexts,
} from './form-settings.ts';

const MAX_ORIGINS = 50;
const MAX_NOTIFIED = 10;
/** Longer subjects are cut when an email is sent. */
const MAX_SUBJECT = 150;
const MAX_INCLUDED = 50;

/** `null` counts as absence. */
const withDefault = <Value extends z.ZodType, Default>(value: Value, initial: Default) =>
  value.nullish().transform((given) => given ?? initial);
const unset = <Value extends z.ZodType>(value: Value) => withDefault(value, undefined);

const text = (max: number) => z.string(code('notText')).min(1).max(max, code('tooLong', { max }));
const count = (max: number) =>
  z
    .int(code('notWholeBetween', { min: 1, max }))
    .min(1)
    .max(max);

const Locale = text(35)
  .refine((tag) => canonicalTag(tag) !== undefined, code('notLanguage'))
  .meta({ example: 'en' });
const TimeZone = text(50).refine(canonicalTimeZone, code('notTimeZone')).meta({ example: 'Europe/Berlin' });
const RedirectUrl = z
  .string(code('notText'))
  .refine((url) => parseRedirectUrl(url), code('notWebUrl'))
  .meta({ example: 'https://www.example.com/thanks' });

const Origins = z
  .array(z.string(code('notText')).refine((origin) => origin === '*' || isOrigin(origin), code('notOrigin')))
  .max(MAX_ORIGINS, code('tooManyItems', { max: MAX_ORIGINS }))
  .refine((origins) => origins.length === 1 || !origins.includes('*'), code('otherOrigins'))
  .transform((origins) => [...new Set(origins)])
  .meta({ override: { type: 'array', items: { type: 'string' } }, example: ['https://www.example.com'] });

const NotifiedEmail = z.string(code('notText')).transform((text, context) => {
  const email = normalizeEmail(text);
  if (email !== undefined) return email;
  context.addIssue({ code: 'custom', message: code('notEmail') });
  return z.NEVER;
});

const Notify = z
  .strictObject({
    emails: z
      .array(NotifiedEmail)
      .max(MAX_NOTIFIED, code('tooManyItems', { max: MAX_NOTIFIED }))
      .transform((emails) => [...new Set(emails)])
      .meta({ override: { type: 'array', items: { type: 'string' } }, example: ['team@example.com'] }),
    when: z.enum(NOTIFY_TIMES, code('notNotifyTime')),
  })
  .nullish()
  .transform((notify) => (notify && notify.emails.length > 0 ? notify : undefined));

const Tag = z.string(code('notText')).refine(isCanonicalTag, code('notLanguageLike'));

const Languages = z
  .array(Tag)
  .max(MAX_LANGUAGES, code('tooManyItems', { max: MAX_LANGUAGES }))
  .nullish()
  .transform((tags) => (tags && tags.length > 0 ? [...new Set(tags)] : undefined))
  .meta({ example: ['en', 'de'] });

/** One line, because it is in subjects of emails and in lists. */
const Name = z
  .string(code('notText'))
  .transform((name) => name.replace(/[\s\p{Cc}]+/gu, ' ').trim())
  .pipe(text(80))
  .meta({ example: 'Newsletter' });

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, code('notThis', { values: values.join(', ') }));

function image(name: ImageName) {
  const max = IMAGE_BYTES[name];
  const value = z.string(code('notText')).transform((text, context): SentImage => {
    const sent = parseDataUrl(text);
    if (sent && sent.content.length <= max) return sent;
    const message = sent ? code('imageTooLarge', { max: max / 1024 }) : code('notImage');
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
  return unset(value.meta({ description: `A PNG, JPEG or WebP image of at most ${max / 1024} kB, as a data URL` }));
}

/** A theme without a member is unset. */
const ThemeInput = z
  .strictObject({
    accent: unset(
      z
        .string(code('notText'))
        .regex(/^#[0-9a-f]{6}$/i, code('notColor'))
        .transform((color) => color.toLowerCase())
        .meta({ example: '#1f5fd6' }),
    ),
    scheme: unset(oneOf(THEME_SCHEMES)),
    font: unset(oneOf(THEME_FONTS)),
    corners: unset(oneOf(THEME_CORNERS)),
    logo: image('logo'),
    logoAlt: unset(text(200)),
    cover: image('cover'),
  })
  .nullish()
  .transform((theme) => {
    const given = Object.entries(theme ?? {}).filter(([, value]) => value !== undefined);
    return given.length > 0 ? (Object.fromEntries(given) as FormTheme<SentImage>) : undefined;
  });

const TEXTS = {
  title: unset(text(200)),
  description: unset(text(2_000)),
  submitLabel: unset(text(100)),
  thanks: unset(text(2_000)),
};

/** Languages without a text are left out. */
const Texts = byLanguage(z.strictObject(TEXTS))
  .nullish()
  .transform((byTag) => {
    const given = Object.entries(byTag ?? {}).flatMap(([tag, texts]) => {
      const own = Object.entries(texts).filter(([, one]) => one !== undefined);
      return own.length > 0 ? [[tag, Object.fromEntries(own)] as const] : [];
    });
    return given.length > 0 ? (Object.fromEntries(given) as Record<string, FormTexts>) : undefined;
  })
  .meta({ example: { de: { title: 'Rundbrief' } } });

/** The title of each page, in the order of pages. */
const Pages = z
  .array(
    z.strictObject({
      page: count(MAX_PAGES),
      title: text(200),
      titles: byLanguage(text(200)).optional(),
    }),
  )
  .max(MAX_PAGES, code('tooManyItems', { max: MAX_PAGES }))
  .check(({ value, issues }) => {
    const seen = new Set<number>();
    for (const [index, { page }] of value.entries()) {
      if (seen.has(page)) issues.push(problem('pageTwice', undefined, [String(index), 'page']));
      seen.add(page);
    }
  })
  .nullish()
  .transform((pages) => (pages && pages.length > 0 ? pages.toSorted((one, other) => one.page - other.page) : undefined))
  .meta({ example: [{ page: 2, title: 'Your address', titles: { de: 'Ihre Adresse' } }] });

const DoubleOptIn = z
  .boolean(code('notBoolean'))
  .nullish()
  .transform((isOn) => (isOn ? (true as const) : undefined));

const replyTexts = { subject: text(MAX_SUBJECT), text: text(5_000) };

const IncludedKeys = z
  .array(z.string(code('notText')).regex(FIELD_KEY_PATTERN, code('notFieldKey')))
  .max(MAX_INCLUDED, code('tooManyItems', { max: MAX_INCLUDED }))
  .nullish()
  .transform((keys) => (keys && keys.length > 0 ? keys : undefined))
  .meta({ example: ['seats'] });

/** Reports the placeholders of a subject, which is a header, and unknown ones of a text. */
function checkPlaceholders({ subject, text }: ReplyTexts, known: readonly string[], path: readonly string[]) {
  const problems = [];
  // biome-ignore lint/plugin: the first one, in linear time
  const [inSubject] = subject.matchAll(PLACEHOLDER);
  if (inSubject) problems.push(problem('placeholderInSubject', {}, [...path, 'subject']));
  // biome-ignore lint/plugin: of at most 5,000 characters
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = '']) => !known.includes(name));
  if (unknown) problems.push(problem('notPlaceholder', { placeholder: unknown[0] }, [...path, 'text']));
  return problems;
}

const ReplySettings = z
  .strictObject({
    when: z.enum(REPLY_TIMES, code('notThis', { values: REPLY_TIMES.join(', ') })),
    ...replyTexts,
    texts: byLanguage(z.strictObject(replyTexts))
      .nullish()
      .transform((byTag) => (byTag && Object.keys(byTag).length > 0 ? byTag : undefined)),
    include: IncludedKeys,
  })
  .check(({ value, issues }) => {
    const known = ['email', ...(value.include ?? [])];
    issues.push(...checkPlaceholders(value, known, []));
    for (const [tag, texts] of Object.entries(value.texts ?? {})) {
      issues.push(...checkPlaceholders(texts, known, ['texts', tag]));
    }
  })
  .meta({ example: { when: 'created', subject: 'Thank you', text: 'We have your entry for {email}.' } });

const EXISTING_VALUES = ['update', ...EXISTING] as const;

const ExistingRule = z
  .enum(EXISTING_VALUES, code('notThis', { values: EXISTING_VALUES.join(', ') }))
  .nullish()
  .transform((rule) => (rule && rule !== 'update' ? rule : undefined));

/** Without `secret` the stored one stays. `hasSecret` of a response is ignored. */
const Captcha = z
  .strictObject({
    siteKey: unset(text(200)),
    secret: unset(text(500)),
    outage: withDefault(
      z.enum(CAPTCHA_OUTAGES, code('notThis', { values: CAPTCHA_OUTAGES.join(', ') })),
      'hold' as const,
    ),
    hasSecret: z.unknown().optional(),
  })
  .nullish()
  .transform((captcha) => captcha && { siteKey: captcha.siteKey, secret: captcha.secret, outage: captcha.outage });

/** The body of a replacement (spec 4.5). A response is a valid body: its counts are ignored. */
const FormSettingsInput = z
  .strictObject({
    name: unset(Name),
    theme: ThemeInput,
    ...TEXTS,
    locale: unset(Locale),
    languages: Languages,
    texts: Texts,
    pages: Pages,
    timeZone: unset(TimeZone),
    origins: withDefault(Origins, []),
    nullOrigin: withDefault(z.boolean(), false),
    next: unset(RedirectUrl),
    botProtection: withDefault(
      z.enum(BOT_PROTECTIONS, code('notThis', { values: BOT_PROTECTIONS.join(', ') })),
      'honeypot',
    ),
    captcha: Captcha,
    submitPerMinute: unset(count(1_000_000)),
    closesAt: unset(SentTime),
    maxRecords: unset(count(1_000_000)),
    notify: Notify,
    doubleOptIn: DoubleOptIn,
    reply: unset(ReplySettings),
    existing: ExistingRule,
    receipt: unset(z.boolean(code('notBoolean'))),
    refusedOrigins: z.unknown().optional(),
    ignoredRedirects: z.unknown().optional(),
  })
  .meta({ id: 'FormSettingsReplacement' });

const CountedOrigins = z.array(z.strictObject({ origin: z.string(), count: z.int().positive(), lastAt: Timestamp }));

const FormSettingsDocument = z
  .strictObject({
    name: z.string().optional().meta({ description: "What people read in place of the app's id; absent without one" }),
    theme: z
      .strictObject({
        accent: z.string(),
        scheme: z.enum(THEME_SCHEMES),
        font: z.enum(THEME_FONTS),
        corners: z.enum(THEME_CORNERS),
        logo: z.string(),
        logoAlt: z.string(),
        cover: z.string(),
      })
      .partial()
      .optional()
      .meta({ description: 'The appearance of the forms; absent without one' }),
    title: z.string().nullable(),
    description: z.string().nullable(),
    submitLabel: z.string().nullable(),
    thanks: z.string().nullable(),
    locale: z.string().nullable(),
    timeZone: z.string().nullable(),
    origins: z.array(z.string()),
    nullOrigin: z.boolean(),
    next: z.string().nullable(),
    botProtection: z.enum(BOT_PROTECTIONS),
    submitPerMinute: z.int().nullable(),
    closesAt: Timestamp.nullable(),
    maxRecords: z.int().nullable(),
    notify: z
      .strictObject({ emails: z.array(z.string()), when: z.enum(NOTIFY_TIMES) })
      .optional()
      .meta({ description: 'Who receives an email about new and changed records; absent if nobody does' }),
    doubleOptIn: z.literal(true).optional().meta({
      description: 'Each person is asked by email to confirm the address; absent if not',
    }),
    reply: z
      .strictObject({
        when: z.enum(REPLY_TIMES),
        subject: z.string(),
        text: z.string(),
        texts: z.record(z.string(), z.strictObject({ subject: z.string(), text: z.string() })).optional(),
        include: z.array(z.string()).optional(),
      })
      .optional()
      .meta({ description: 'The email to the person after a submission; absent if none is sent' }),
    existing: z.enum(EXISTING).optional().meta({
      description: 'What a public submission of a known email does; absent if it updates the record',
    }),
    receipt: z.boolean().optional().meta({
      description: 'Whether public answers have the id and the times of the record; absent: unless `existing` is set',
    }),
    captcha: z
      .strictObject({ siteKey: z.string(), outage: z.enum(CAPTCHA_OUTAGES), hasSecret: z.literal(true) })
      .optional()
      .meta({ description: 'The site key at the provider of challenges; absent without a provider' }),
    languages: z
      .array(z.string())
      .optional()
      .meta({ description: 'The languages of the forms beside `locale`; absent without any' }),
    texts: z
      .record(
        z.string(),
        z
          .strictObject({ title: z.string(), description: z.string(), submitLabel: z.string(), thanks: z.string() })
          .partial(),
      )
      .optional()
      .meta({ description: 'The texts in other languages, by language tag; absent without any' }),
    pages: z
      .array(
        z.strictObject({
          page: z.int(),
          title: z.string(),
          titles: z.record(z.string(), z.string()).optional(),
        }),
      )
      .optional()
      .meta({ description: 'The titles of the pages of the form; absent without any' }),
    refusedOrigins: CountedOrigins,
    ignoredRedirects: CountedOrigins.optional().meta({
      description: 'The origins to which forms asked in vain to send browsers (`_next`); absent if none did',
    }),
  })
  .meta({ id: 'FormSettings' });

const ETAG = { ETag: 'Identifies the settings, for `If-Match` of the replacement' };

const shared = {
  path: '/auth/apps/:sourceAppId/form',
  auth: 'session',
  load: 'light',
  tag: 'Forms',
  params: AppPath,
  response: FormSettingsDocument,
  responseHeaders: ETAG,
} as const;

/** The endpoints of form settings (spec 4.5). */
export const formSettingsEndpoints = {
  getFormSettings: {
    ...shared,
    method: 'get',
    scope: 'users:read',
    scoped: true,
    summary: "The settings of an app's public forms",
    description: 'For the operators of the app and for admins. An unset member is null.',
    errors: [404],
  },
  replaceFormSettings: {
    ...shared,
    method: 'put',
    scope: 'manage',
    scoped: true,
    audit: 'form.replaced',
    summary: "Replace the settings of an app's public forms",
    description:
      'Absent members are unset. After the response the settings are in force on every server. With `If-Match` the replacement succeeds only if the named settings are stored; otherwise the response is 412.',
    headers: z.object({
      'if-match': z.string().optional().meta({ description: 'The ETag of the settings to replace' }),
    }),
    body: { ...jsonBody(FormSettingsInput, 'invalidForm'), hasImages: true },
    errors: [404, 412],
  },
} as const satisfies Endpoints;

export const formSettingsRoutes = (formSettings: FormSettingsService): Route[] =>
  routes(formSettingsEndpoints, {
    getFormSettings: async ({ app: { id }, res }) => {
      const view = await formSettings.get(id);
      res.setHeader('ETag', view.etag);
      return present(view);
    },

    replaceFormSettings: async ({ app: { id }, headers, body, until, res }) => {
      const { refusedOrigins: _refused, ignoredRedirects: _ignored, captcha, ...settings } = body;
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
      const ifMatch = parseTags(headers['if-match']);
      const view = await formSettings.replace(
        id,
        given as unknown as SentSettings,
        captcha ?? undefined,
        until,
        ifMatch,
      );
      res.setHeader('ETag', view.etag);
      return present(view);
    },
  });

function present({ settings, refusedOrigins, ignoredRedirects }: FormSettingsView) {
  const { title = null, description = null, submitLabel = null, thanks = null, locale = null } = settings;
  const { timeZone = null, origins, nullOrigin, next = null, botProtection, submitPerMinute = null } = settings;
  const { closesAt, maxRecords = null, notify, languages, texts, pages, doubleOptIn, captcha, name } = settings;
  const { existing, receipt, reply, theme } = settings;
  return {
    title,
    description,
    submitLabel,
    thanks,
    locale,
    timeZone,
    origins: [...origins],
    nullOrigin,
    next,
    botProtection,
    submitPerMinute,
    closesAt: closesAt?.toISOString() ?? null,
    maxRecords,
    // Absent while unset, so that responses of apps without them are unchanged.
    ...(name !== undefined && { name }),
    ...(theme && { theme }),
    ...(notify && { notify: { emails: [...notify.emails], when: notify.when } }),
    ...(languages && { languages: [...languages] }),
    ...(texts && { texts }),
    ...(pages && { pages: pages.map(presentPage) }),
    ...(doubleOptIn && { doubleOptIn }),
    ...(reply && { reply: presentReply(reply) }),
    ...(existing && { existing }),
    ...(receipt !== undefined && { receipt }),
    ...(captcha && { captcha: { siteKey: captcha.siteKey, outage: captcha.outage, hasSecret: true as const } }),
    refusedOrigins: refusedOrigins.map(presentOrigin),
    ...(ignoredRedirects.length > 0 && { ignoredRedirects: ignoredRedirects.map(presentOrigin) }),
  };
}

function presentPage({ page, title, titles }: PageTitle) {
  return { page, title, ...(titles && { titles }) };
}

function presentReply({ when, subject, text, texts, include }: Reply) {
  return { when, subject, text, ...(texts && { texts }), ...(include && { include: [...include] }) };
}

function presentOrigin({ origin, count, lastAt }: CountedOrigin) {
  return { origin, count, lastAt: lastAt.toISOString() };
}
