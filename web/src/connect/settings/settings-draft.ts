import type { StepTitle } from '#src/features/display/form-steps.ts';
import type { PresetName } from '#src/features/display/presets.ts';
import type { Theme } from '#src/features/display/theme.ts';
import type { FormSettings } from '../../api/endpoints.ts';
import { localTime } from '../../components/form/input.ts';
import { tabDrafts } from '../../drafts/tab-drafts.ts';
import { forTag, isCanonicalTag, otherLanguages } from '../../languages/languages.ts';
import { enteredNumber } from '../../texts/numbers.ts';
import { isProvider } from '../captcha.ts';
import type { SettingsInput, StoredSettings } from '../queries.ts';

/** The settings that this form edits, as the texts of its inputs. An empty text is unset. */
export interface SettingsDraft {
  name: string;
  title: string;
  description: string;
  submitLabel: string;
  thanks: string;
  next: string;
  locale: string;
  /** Language tags, separated by commas. */
  languages: string;
  /** The texts in other languages by their tags, as JSON. */
  texts: string;
  /** The titles of pages, as JSON. */
  pages: string;
  preset: PresetName | '';
  accent: string;
  scheme: Required<Theme>['scheme'] | '';
  font: Required<Theme>['font'] | '';
  corners: Required<Theme>['corners'] | '';
  /** A data URL. */
  logo: string;
  /** A data URL. */
  logoDark: string;
  logoAlt: string;
  /** A data URL. */
  cover: string;
  /** Whether the page keeps what is typed: empty if it does. */
  drafts: '' | 'off';
  timeZone: string;
  botProtection: FormSettings['botProtection'];
  captchaSiteKey: string;
  /** Empty: the stored one. */
  captchaSecret: string;
  captchaOutage: Captcha['outage'];
  submitPerMinute: string;
  /** A local time of the reader, as in an `<input type="datetime-local">`. */
  closesAt: string;
  maxRecords: string;
  doubleOptIn: '' | 'on';
  /** Empty: a submission of a known email updates the record. */
  existing: '' | NonNullable<FormSettings['existing']>;
  /** Empty: as `existing` needs it. */
  receipt: '' | 'true' | 'false';
  /** One address in each line. */
  notifyEmails: string;
  notifyWhen: Notify['when'];
  /** Those who hear of some records only, as JSON of {@link DraftRoute}. */
  notifyRoutes: string;
  /** Empty: no reply. */
  replyWhen: '' | Reply['when'];
  replySubject: string;
  replyText: string;
  /** The reply in other languages by their tags, as JSON. */
  replyTexts: string;
  /** What people may do with their entry, as JSON of {@link Own}; empty: nothing. */
  own: string;
}

type Captcha = NonNullable<FormSettings['captcha']>;
type Notify = NonNullable<FormSettings['notify']>;
type Reply = NonNullable<FormSettings['reply']>;
export type Own = NonNullable<FormSettings['own']>;

/** A route of notifications that is being edited. */
export interface DraftRoute {
  /** Absent while it has no condition. */
  if?: NonNullable<Notify['routes']>[number]['if'] | undefined;
  /** One address in each line. */
  emails: string;
}

export type SettingName = keyof SettingsDraft;

/** The texts that are edited as they are stored. */
const PLAIN_NAMES = ['name', 'title', 'description', 'submitLabel', 'thanks', 'next', 'locale', 'timeZone'] as const;

export function draftOf(settings: FormSettings): SettingsDraft {
  const plain = PLAIN_NAMES.map((name) => [name, settings[name] ?? '']);
  return {
    ...(Object.fromEntries(plain) as Record<(typeof PLAIN_NAMES)[number], string>),
    languages: settings.languages?.join(', ') ?? '',
    texts: settings.texts ? JSON.stringify(settings.texts) : '',
    pages: settings.pages ? JSON.stringify(settings.pages) : '',
    ...themeTexts(settings.theme),
    drafts: settings.drafts === false ? 'off' : '',
    botProtection: settings.botProtection,
    captchaSiteKey: settings.captcha?.siteKey ?? '',
    captchaSecret: '',
    captchaOutage: settings.captcha?.outage ?? 'hold',
    submitPerMinute: String(settings.submitPerMinute ?? ''),
    closesAt: settings.closesAt === null ? '' : localTime(new Date(settings.closesAt)),
    maxRecords: String(settings.maxRecords ?? ''),
    doubleOptIn: settings.doubleOptIn ? 'on' : '',
    existing: settings.existing ?? '',
    receipt: settings.receipt === undefined ? '' : `${settings.receipt}`,
    notifyEmails: settings.notify?.emails.join('\n') ?? '',
    notifyWhen: settings.notify?.when ?? 'each',
    notifyRoutes: routesText(
      settings.notify?.routes?.map((route) => ({ if: route.if, emails: route.emails.join('\n') })) ?? [],
    ),
    replyWhen: settings.reply?.when ?? '',
    replySubject: settings.reply?.subject ?? '',
    replyText: settings.reply?.text ?? '',
    replyTexts: settings.reply?.texts ? JSON.stringify(settings.reply.texts) : '',
    own: settings.own ? ownText(settings.own) : '',
  };
}

const THEME_NAMES = ['preset', 'accent', 'scheme', 'font', 'corners', 'logo', 'logoDark', 'logoAlt', 'cover'] as const;
type DraftTheme = Theme & { logo?: string; logoDark?: string; logoAlt?: string; cover?: string };

function themeTexts(theme: FormSettings['theme'] = {}): Pick<SettingsDraft, (typeof THEME_NAMES)[number]> {
  const { preset = '', accent = '', scheme = '', font = '', corners = '' } = theme;
  const { logo = '', logoDark = '', logoAlt = '', cover = '' } = theme;
  return { preset, accent, scheme, font, corners, logo, logoDark, logoAlt, cover };
}

/** Returns the accent of a draft; undefined without one and while it is no color. */
export function accentOf({ accent }: Pick<SettingsDraft, 'accent'>): string | undefined {
  const color = accent.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : undefined;
}

/** Returns the theme that a draft shows. */
export function themeIn(draft: SettingsDraft): DraftTheme {
  const given = THEME_NAMES.map((name) => [name, name === 'accent' ? accentOf(draft) : draft[name].trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** The texts that have translations. */
export const TEXT_NAMES = ['title', 'description', 'submitLabel', 'thanks'] as const;
type Texts = Partial<Record<(typeof TEXT_NAMES)[number], string>>;

const tagsIn = (text: string): string[] => text.split(/[\s,]+/).filter((tag) => tag !== '');

export const languagesOf = ({ languages }: Pick<SettingsDraft, 'languages'>): string[] => tagsIn(languages);

/** Returns the languages of a draft other than that of its texts. */
export function translatedTo({ languages, locale }: Pick<SettingsDraft, 'languages' | 'locale'>): readonly string[] {
  return otherLanguages({ languages: tagsIn(languages).filter(isCanonicalTag), locale: locale || null });
}

/** Returns the texts of a draft in a language; a missing one is the original. */
export function textsIn(draft: SettingsDraft, tag: string): Pick<SettingsDraft, keyof Texts> {
  const { title, description, submitLabel, thanks } = draft;
  const own = forTag(JSON.parse(draft.texts || '{}') as Record<string, Texts>, tag);
  return { title, description, submitLabel, thanks, ...own };
}

/** Returns the translations with one text replaced, as JSON; empty when there is none. */
export function withTranslation<Name extends string>(texts: string, tag: string, name: Name, text: string): string {
  const all = JSON.parse(texts || '{}') as Record<string, Partial<Record<Name, string>>>;
  const { [name]: _, ...others } = { ...all[tag] } as Record<string, string>;
  const given = text === '' ? others : { ...others, [name]: text };
  const { [tag]: __, ...rest } = all;
  const next = Object.keys(given).length === 0 ? rest : { ...rest, [tag]: given };
  return Object.keys(next).length === 0 ? '' : JSON.stringify(next);
}

type ReplyTexts = Pick<Reply, 'subject' | 'text'>;

/** Returns the reply of a draft in a language; a missing text is the original. */
export function replyTextsIn({ replySubject, replyText, replyTexts }: SettingsDraft, tag: string): ReplyTexts {
  const own = forTag(JSON.parse(replyTexts || '{}') as Record<string, Partial<ReplyTexts>>, tag);
  return { subject: replySubject, text: replyText, ...own };
}

type PageTitle = NonNullable<FormSettings['pages']>[number];

/** Returns the titles of pages of a draft. */
export const pageTitlesIn = ({ pages }: Pick<SettingsDraft, 'pages'>): PageTitle[] => JSON.parse(pages || '[]');

/** Returns the texts of pages of a draft in a language; a missing one is the original. */
export function titlesIn(draft: SettingsDraft, tag: string): StepTitle[] {
  return pageTitlesIn(draft).map(({ page, title, titles, description, descriptions }) => ({
    page,
    title: forTag(titles, tag) || title,
    description: forTag(descriptions, tag) || description,
  }));
}

/**
 * Returns the texts of pages with one replaced, as JSON.
 * @param tag empty: the original
 */
export function withPageText(
  pages: string,
  page: number,
  tag: string,
  name: 'title' | 'description',
  text: string,
): string {
  const all = pageTitlesIn({ pages });
  const before: PageTitle = all.find((one) => one.page === page) ?? { page, title: '' };
  const translations = { ...before[`${name}s`], [tag]: text };
  const given = Object.fromEntries(Object.entries(translations).filter(([, one]) => one));
  const next: PageTitle = tag === '' ? { ...before, [name]: text } : { ...before, [`${name}s`]: given };
  for (const one of ['titles', 'description', 'descriptions'] as const) {
    if (Object.keys(next[one] ?? {}).length === 0) delete next[one];
  }
  const { page: _, title, ...others } = next;
  const isEmpty = title === '' && Object.keys(others).length === 0;
  const kept = [...all.filter((one) => one.page !== page), ...(isEmpty ? [] : [next])];
  return kept.length === 0 ? '' : JSON.stringify(kept.sort((one, other) => one.page - other.page));
}

/**
 * Returns the texts of pages, as JSON, with other numbers from a page on.
 * @param by negative: the page is joined with an earlier one, and its own texts go
 */
export function withPagesMoved(pages: string, from: number, by: number): string {
  const moved = pageTitlesIn({ pages })
    .filter(({ page }) => by > 0 || page !== from)
    .map((one) => (one.page >= from ? { ...one, page: one.page + by } : one));
  return moved.length === 0 ? '' : JSON.stringify(moved);
}

/** The members that a draft changes, by name. */
export function changedNames(before: SettingsDraft, after: SettingsDraft): SettingName[] {
  return (Object.keys(before) as SettingName[]).filter((name) => before[name] !== after[name]);
}

/**
 * The settings to send. Unchanged members are those that are stored, which are more exact.
 * @param keys the fields of the app, which a reply may name
 */
export function settingsOf(
  stored: FormSettings,
  draft: SettingsDraft,
  changed: readonly SettingName[],
  keys: readonly string[],
): SettingsInput {
  const own = changed.filter((name) => !isOfEmail(name) && !isOfTheme(name) && !name.startsWith('captcha'));
  const texts = Object.fromEntries(own.map((name) => [name, sentValue(name, draft[name])]));
  return {
    ...stored,
    ...texts,
    captcha: isProvider(draft.botProtection) ? captchaOf(draft) : null,
    // The service explains what is wrong with an accent.
    ...(changed.some(isOfTheme) && { theme: { ...themeIn(draft), accent: draft.accent.trim() || null } }),
    ...(changed.includes('doubleOptIn') && { doubleOptIn: draft.doubleOptIn === 'on' }),
    ...(changed.some((name) => name.startsWith('notify')) && { notify: notifyOf(draft) }),
    ...(changed.some((name) => name.startsWith('reply')) && { reply: replyOf(draft, keys) }),
  };
}

/** Returns what people may do with their entry in a draft; undefined: nothing. */
export const ownIn = ({ own }: Pick<SettingsDraft, 'own'>): Own | undefined =>
  own === '' ? undefined : JSON.parse(own);

/** Returns it as a draft has it, with its members in one order. */
export const ownText = ({ fields, erase, export: download }: Own): string =>
  JSON.stringify({ fields, erase, export: download });

/** Returns the routes of a draft. */
export const routesIn = ({ notifyRoutes }: Pick<SettingsDraft, 'notifyRoutes'>): DraftRoute[] =>
  JSON.parse(notifyRoutes || '[]');

/** Returns routes as a draft has them; empty when there is none. */
export const routesText = (routes: readonly DraftRoute[]): string => (routes.length > 0 ? JSON.stringify(routes) : '');

const isOfEmail = (name: SettingName): boolean => /^(?:doubleOptIn$|notify|reply)/.test(name);

function replyOf(draft: SettingsDraft, keys: readonly string[]): Reply | null {
  const { replyWhen: when, replySubject: subject, replyText: text, replyTexts } = draft;
  if (when === '') return null;
  const texts = Object.fromEntries(
    Object.keys(JSON.parse(replyTexts || '{}')).map((tag) => [tag, replyTextsIn(draft, tag)]),
  );
  const all = [text, ...Object.values(texts).map((one) => one.text)].join('\n');
  return { when, subject, text, texts, include: keys.filter((key) => all.includes(`{${key}}`)) };
}

function captchaOf({ captchaSiteKey, captchaSecret, captchaOutage }: SettingsDraft): SettingsInput['captcha'] {
  return { siteKey: captchaSiteKey.trim() || null, secret: captchaSecret.trim() || null, outage: captchaOutage };
}

const isOfTheme = (name: SettingName): boolean => (THEME_NAMES as readonly string[]).includes(name);

function notifyOf(draft: SettingsDraft): SettingsInput['notify'] {
  const { notifyEmails, notifyWhen: when } = draft;
  const emails = addressesIn(notifyEmails);
  // The service says that a route without conditions is incomplete.
  const routes = routesIn(draft).map((route) => ({ if: route.if ?? {}, emails: addressesIn(route.emails) }));
  if (routes.length > 0) return { emails, when, routes };
  return emails.length > 0 ? { emails, when } : null;
}

const addressesIn = (text: string): string[] => text.split(/[\s,;]+/).filter((email) => email !== '');

/**
 * The setting of this form to which a problem belongs, by its path; of titles `pages.0`, and within
 * a route the path.
 */
export function settingAt(path: string): string {
  if (path === 'notify.routes') return 'notifyRoutes';
  if (path.startsWith('notify.routes.')) return path;
  if (path === 'notify.when') return 'notifyWhen';
  const [, ofReply] = /^reply\.(subject|texts?)\b/.exec(path) ?? [];
  if (ofReply) return `reply${ofReply.charAt(0).toUpperCase()}${ofReply.slice(1)}`;
  if (path === 'reply' || path.startsWith('reply.')) return 'replyWhen';
  if (path.startsWith('captcha.')) return path.replace(/\.(.)/, (_, first: string) => first.toUpperCase());
  if (/^(?:languages|texts)\./.test(path)) return path.split('.', 1)[0] ?? path;
  if (path.startsWith('theme.')) return path.slice('theme.'.length);
  if (path.startsWith('own.')) return 'own';
  if (path.startsWith('pages.')) return path.split('.', 2).join('.');
  return path === 'notify' || path.startsWith('notify.') ? 'notifyEmails' : path;
}

function sentValue(name: SettingName, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (name === 'receipt') return trimmed === 'true';
  if (name === 'drafts') return false;
  if (name === 'languages') return tagsIn(trimmed);
  if (name === 'texts' || name === 'pages' || name === 'own') return JSON.parse(trimmed);
  if (name === 'closesAt') return instantOf(trimmed);
  // The service explains what is wrong with any other text.
  if (name === 'submitPerMinute' || name === 'maxRecords') return enteredNumber(trimmed);
  return name === 'description' || name === 'thanks' ? text : trimmed;
}

function instantOf(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** A draft with the stored settings that it is based on. */
export interface DraftState {
  base: StoredSettings;
  draft: SettingsDraft;
}

/** The members that newer settings change and that differ from the draft. */
export function theirChanges({ base, draft }: DraftState, newest: FormSettings): SettingName[] {
  const theirs = draftOf(newest);
  return changedNames(draftOf(base.settings), theirs).filter((name) => theirs[name] !== draft[name]);
}

/** The part of a draft that may be stored: no secret. Undefined when it changes nothing. */
export function withoutSecret({ base, draft }: DraftState): DraftState | undefined {
  const kept = { ...draft, captchaSecret: '' };
  return changedNames(draftOf(base.settings), kept).length > 0 ? { base, draft: kept } : undefined;
}

/** The drafts of the settings form. */
export const settingsDrafts = tabDrafts<DraftState>('form settings', 6);
