import type { ObjectId } from 'mongodb';
import { CAPTCHA_WIDGETS } from '../fields/captcha.ts';
import type { ImageName, ImageType, Theme } from '../fields/theme.ts';
import type { CaptchaProvider } from '../platform/core/config.ts';
import { forTag } from '../platform/languages/tags.ts';

/** The protection of forms against programs (spec 4.5). */
export const BOT_PROTECTIONS = [
  'off',
  'honeypot',
  'proof-of-work',
  'turnstile',
  'hcaptcha',
  'recaptcha',
  'friendly',
] as const;
type BotProtection = (typeof BOT_PROTECTIONS)[number];

export const isCaptchaProvider = (protection: BotProtection): protection is CaptchaProvider =>
  Object.hasOwn(CAPTCHA_WIDGETS, protection);

/** Returns the provider whose challenges the forms show. */
export const captchaProvider = ({ botProtection }: Pick<FormSettings, 'botProtection'>): CaptchaProvider | undefined =>
  isCaptchaProvider(botProtection) ? botProtection : undefined;

/** What happens to submissions while a provider of challenges is away: held, or 503. */
export const CAPTCHA_OUTAGES = ['hold', 'refuse'] as const;

/** The keys of an app at the provider of its challenges. */
export interface CaptchaSettings {
  siteKey: string;
  /** No answer has it. */
  secret: string;
  outage: (typeof CAPTCHA_OUTAGES)[number];
}

/** When operators receive emails about records: for each change, or once a day. */
export const NOTIFY_TIMES = ['each', 'daily'] as const;

/** What a public submission of a known email does; unset: it updates the record (spec 4.5.5). */
export const EXISTING = ['keep', 'confirm'] as const;
export type Existing = (typeof EXISTING)[number];

export interface Notify {
  /** Normalized; at least one. */
  emails: readonly string[];
  when: (typeof NOTIFY_TIMES)[number];
}

/** Which accepted submissions cause a reply: those that create a record, or each. */
export const REPLY_TIMES = ['created', 'each'] as const;

/** The texts of a reply. Only `text` has placeholders. */
export interface ReplyTexts {
  subject: string;
  text: string;
}

/** The email to the person after an accepted submission (spec 4.12). */
export interface Reply extends ReplyTexts {
  when: (typeof REPLY_TIMES)[number];
  /** In other languages, by their tags. */
  texts?: Readonly<Record<string, ReplyTexts>> | undefined;
  /** The keys of the fields that placeholders may name beside `email`. Not empty. */
  include?: readonly string[] | undefined;
}

/** A placeholder such as `{email}`; its group is the name. */
export const PLACEHOLDER = /\{([^{}\n]*)\}/g;

/** The texts of an app's public forms. */
export interface FormTexts {
  title?: string;
  description?: string;
  submitLabel?: string;
  thanks?: string;
}

/** The title of one page of the forms. */
export interface PageTitle {
  page: number;
  title: string;
  /** In other languages, by their BCP 47 tags. */
  titles?: Readonly<Record<string, string>> | undefined;
}

/** The reference to a stored image of an app's forms (form-images.model.ts). */
export interface FormImage {
  id: ObjectId;
  type: ImageType;
  /** Of its content. */
  hash: string;
}

/** The appearance of an app's forms (spec 4.5.1). */
export interface FormTheme<Image = FormImage> extends Theme, Partial<Record<ImageName, Image>> {
  logoAlt?: string;
}

/** The settings of an app's public forms (spec 4.5). An absent member is unset. */
export interface FormSettings extends FormTexts {
  /** What people read in place of the app's id. */
  name?: string;
  /** Not empty. */
  theme?: FormTheme;
  /** The language of the texts, a BCP 47 tag. Unset: English. */
  locale?: string;
  /** The languages of the forms beside `locale`, as BCP 47 tags; they may contain it. */
  languages?: readonly string[];
  /** The texts in other languages, by their tags. */
  texts?: Readonly<Record<string, FormTexts>>;
  /** Not empty; each page once, in their order. */
  pages?: readonly PageTitle[];
  /** An IANA name, for times without a zone. */
  timeZone?: string;
  /** Web origins whose pages may submit; `['*']`: every origin. */
  origins: readonly string[];
  /** Whether requests with `Origin: null` pass, such as those of a local file. */
  nullOrigin: boolean;
  next?: string;
  botProtection: BotProtection;
  /** With a provider as `botProtection`. */
  captcha?: CaptchaSettings;
  /** From one client network. Unset: RATE_LIMIT_SUBMIT applies. */
  submitPerMinute?: number;
  closesAt?: Date;
  /** The number of records from which the app accepts no new person. */
  maxRecords?: number;
  notify?: Notify;
  /** Whether each person is asked by email to confirm the address. */
  doubleOptIn?: true;
  reply?: Reply;
  existing?: Existing;
  /** Whether public answers have the id and the times of the record. Unset: unless `existing`. */
  receipt?: boolean;
}

export const DEFAULT_FORM_SETTINGS: FormSettings = { origins: [], nullOrigin: false, botProtection: 'honeypot' };

export interface StoredFormSettings extends FormSettings {
  /** Replaced with every change; a rollback could repeat a count. */
  revision: ObjectId;
}

/** An origin that an app does not list. `null`: that of a file, or none. */
export interface CountedOrigin {
  origin: string;
  count: number;
  lastAt: Date;
}

/**
 * Returns the languages of an app's forms (spec 4.5.2): first that of its own texts, which is the
 * one of everybody else.
 */
export function offeredLanguages({
  locale = 'en',
  languages = [],
}: Pick<FormSettings, 'locale' | 'languages'>): readonly [string, ...string[]] {
  return [locale, ...languages.filter((tag) => tag !== locale)];
}

/** Returns the heading of the forms of an app: their title, else the name or the id of the app. */
export const formHeading = (sourceAppId: string, { title, name }: Pick<FormSettings, 'title' | 'name'> = {}): string =>
  title ?? name ?? sourceAppId;

/** Returns the settings with the texts of a language; a missing text is that of `locale`. */
export function settingsIn(settings: FormSettings, tag: string): FormSettings {
  const texts = forTag(settings.texts, tag);
  return texts ? { ...settings, ...texts } : settings;
}

/** Returns the titles of pages in a language; a missing one is that of `locale`. */
export function pageTitles({ pages = [] }: Pick<FormSettings, 'pages'>, tag: string): Omit<PageTitle, 'titles'>[] {
  return pages.map(({ page, title, titles }) => ({ page, title: forTag(titles, tag) || title }));
}

/** Returns whether pages of an origin may submit to an app with these settings (spec 5.3). */
export function allowsOrigin({ origins, nullOrigin }: FormSettings, origin: string): boolean {
  if (origin === 'null') return nullOrigin;
  return origins.includes(origin) || origins.includes('*');
}

/** Returns whether the form is closed: every submission is refused. */
export function isClosed({ closesAt }: Pick<FormSettings, 'closesAt'>): boolean {
  return closesAt !== undefined && closesAt.getTime() <= Date.now();
}

/** Returns whether answers must not tell whether an email was known (spec 4.5.5). */
export function hidesKnown({ existing, receipt }: Pick<FormSettings, 'existing' | 'receipt'>): boolean {
  return !(receipt ?? existing === undefined);
}

/** Returns whether events of records lead to emails in an app with these settings (spec 4.12). */
export function needsEvents({ doubleOptIn, notify, reply }: FormSettings): boolean {
  return doubleOptIn === true || notify?.when === 'each' || reply !== undefined;
}
