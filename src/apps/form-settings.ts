import type { ObjectId } from 'mongodb';

/** How an app treats submissions that a program may have sent (spec 4.5). */
export const BOT_PROTECTIONS = ['off', 'honeypot', 'proof-of-work'] as const;
type BotProtection = (typeof BOT_PROTECTIONS)[number];

/** When operators receive an email about records: for each change, or once a day. */
export const NOTIFY_TIMES = ['each', 'daily'] as const;

/** Who receives an email about new and changed records (spec 4.12). */
export interface Notify {
  /** Normalized; at least one. */
  emails: readonly string[];
  when: (typeof NOTIFY_TIMES)[number];
}

/** The settings of an app's public forms (spec 4.5). An absent member is unset. */
export interface FormSettings {
  title?: string;
  description?: string;
  submitLabel?: string;
  /** The text of the page after a submission. */
  thanks?: string;
  /** A BCP 47 language tag. */
  locale?: string;
  /** An IANA name. Times without a zone are local times of this zone. */
  timeZone?: string;
  /** Web origins whose pages may submit to this app; `['*']` means every origin. */
  origins: readonly string[];
  /** Whether requests with `Origin: null` pass, such as those of a file on a disk. */
  nullOrigin: boolean;
  /** The URL that a browser is sent to after a submission. */
  next?: string;
  botProtection: BotProtection;
  /** Submissions per minute from one client network. Unset: RATE_LIMIT_SUBMIT applies. */
  submitPerMinute?: number;
  /** From this time on the app accepts no submission. */
  closesAt?: Date;
  /** The number of records from which on the app accepts no new person. */
  maxRecords?: number;
  /** Absent: nobody receives an email about records. */
  notify?: Notify;
  /** Whether each person is asked by email to confirm the address. */
  doubleOptIn?: true;
}

/** The settings of an app that never changed them. */
export const DEFAULT_FORM_SETTINGS: FormSettings = { origins: [], nullOrigin: false, botProtection: 'honeypot' };

/** The settings as they are stored in the app's document. */
export interface StoredFormSettings extends FormSettings {
  /** Replaced with every change; a count could be issued again after a rollback. */
  revision: ObjectId;
}

/**
 * An origin that an app does not list, and how often it was met. `null`: that of a file, or none.
 */
export interface CountedOrigin {
  origin: string;
  count: number;
  lastAt: Date;
}

/** Returns whether pages of an origin may submit to an app with these settings (spec 5.3). */
export function allowsOrigin({ origins, nullOrigin }: FormSettings, origin: string): boolean {
  if (origin === 'null') return nullOrigin;
  return origins.includes(origin) || origins.includes('*');
}

/** Returns whether events of records lead to emails in an app with these settings (spec 4.12). */
export function needsEvents({ doubleOptIn, notify }: FormSettings): boolean {
  return doubleOptIn === true || notify?.when === 'each';
}
