import { ObjectId } from 'mongodb';
import { z } from 'zod';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { CaptchaProvider } from '../../platform/core/config.ts';
import { type MembersOf, type Schema, schemaOf } from '../../platform/database/mongoose.ts';
import { forTag } from '../../platform/languages/tags.ts';
import { CAPTCHA_WIDGETS } from '../display/captcha.ts';
import { admissionSettings, knownPeopleSettings } from './admission.ts';
import { type AppSetting, type AppSettings, every, type Given, given } from './app-setting.ts';
import { appearanceSettings } from './appearance.ts';
import { emailSettings } from './emails.ts';
import { ownSettings } from './own.ts';
import { textSettings } from './texts.ts';

/** A type with the members of all groups. */
type Joined<Groups> = (Groups extends unknown ? (group: Groups) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Joins groups of settings. @throws {Error} when two settings have one key */
export function joinSettings<Groups extends AppSettings[]>(...groups: Groups): Joined<Groups[number]> {
  const all = groups.flatMap((group) => Object.entries(group));
  const twice = all.find(([key], at) => all.findIndex(([other]) => other === key) < at);
  if (twice) throw new Error(`two settings have the key ${twice[0]}`);
  return Object.fromEntries(all) as Joined<Groups[number]>;
}

/** The settings of public forms (spec 4.5), in the order of requests and responses. */
export const SETTINGS = joinSettings(
  appearanceSettings,
  textSettings,
  admissionSettings,
  emailSettings,
  knownPeopleSettings,
  ownSettings,
);
type Settings = typeof SETTINGS;
const ALL = Object.entries<AppSetting>(SETTINGS) as [keyof Settings, AppSetting][];

/** The stored settings of an app's public forms. An absent member is unset. */
export type FormSettings = Given<{
  [Key in keyof Settings]: Settings[Key] extends { show?(value: infer Value): unknown }
    ? Value | Extract<z.output<Settings[Key]['request']>, undefined>
    : never;
}>;

export type Reply = NonNullable<FormSettings['reply']>;

interface StoredFormSettings extends FormSettings {
  /** Replaced with every change; a rollback could repeat a count. */
  revision: ObjectId;
}

const formSchema = schemaOf<object>({
  revision: { type: ObjectId, required: true },
  ...every(SETTINGS, 'path'),
}) as unknown as Schema<StoredFormSettings>;

const members = {
  /** Absent: the default settings. */
  form: formSchema,
};

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    form?: StoredFormSettings | undefined;
  }
}

/** The settings of the public forms of an app, which include its name. */
export const formPart: AppPart = {
  members,
  indexes: [
    // Preflights do not name the app (origins.ts).
    [{ 'form.origins': 1 }, { sparse: true }],
    [{ 'form.nullOrigin': 1 }, { partialFilterExpression: { 'form.nullOrigin': true } }],
    // The job that plans daily emails.
    [{ 'form.notify.when': 1 }, { sparse: true }],
  ],
  read({ form }) {
    const { name, submitPerMinute, timeZone } = form ?? {};
    return { form, name, submitPerMinute, timeZone };
  },
  isSame: (one, other) => one.form?.revision.toHexString() === other.form?.revision.toHexString(),
};

export const FormSettingsRequest = z.strictObject(every(SETTINGS, 'request'));
export const FormSettingsResponse = z.strictObject(every(SETTINGS, 'response'));

/** The settings of a request: with images, and perhaps without a secret. */
export type SentSettings = Given<z.output<typeof FormSettingsRequest>>;

export const DEFAULT_FORM_SETTINGS = given(FormSettingsRequest.parse({})) as unknown as FormSettings;

/** Returns the settings that have a value, with it. */
export function valuesOf(settings: Partial<FormSettings>) {
  return ALL.flatMap(([key, setting]) => {
    const value = settings[key];
    return value === undefined ? [] : [{ key, setting, value }];
  });
}

/** Returns settings as a response shows them. @param settings with the images themselves */
export function shownSettings(settings: object): z.input<typeof FormSettingsResponse> {
  const values = settings as Record<string, unknown>;
  const shown = ALL.map(([key, { show = (value: unknown) => value, unset }]) => {
    const value = values[key];
    return [key, value === undefined ? unset : show(value)];
  });
  return given(Object.fromEntries(shown)) as z.input<typeof FormSettingsResponse>;
}

/** Returns whether events of records lead to emails in an app with these settings (spec 4.12). */
export function needsEvents(settings: Partial<FormSettings>): boolean {
  return valuesOf(settings).some(({ setting, value }) => setting.needsEvents?.(value) === true);
}

export const isCaptchaProvider = (protection: FormSettings['botProtection']): protection is CaptchaProvider =>
  Object.hasOwn(CAPTCHA_WIDGETS, protection);

/** Returns the provider whose challenges the forms show. */
export const captchaProvider = ({ botProtection }: Pick<FormSettings, 'botProtection'>): CaptchaProvider | undefined =>
  isCaptchaProvider(botProtection) ? botProtection : undefined;

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

/** Returns the texts of pages in a language; a missing one is that of `locale`. */
export function pageTitles({ pages = [] }: Pick<FormSettings, 'pages'>, tag: string) {
  return pages.map(({ page, title, titles, description: own, descriptions }) => {
    const description = forTag(descriptions, tag) || own;
    return { page, title: forTag(titles, tag) || title, ...(description !== undefined && { description }) };
  });
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
