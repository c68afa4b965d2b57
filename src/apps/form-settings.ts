import type { ObjectId } from 'mongodb';

/** The protection of forms against programs (spec 4.5). */
export const BOT_PROTECTIONS = ['off', 'honeypot', 'proof-of-work'] as const;
type BotProtection = (typeof BOT_PROTECTIONS)[number];

/** When operators receive emails about records: for each change, or once a day. */
export const NOTIFY_TIMES = ['each', 'daily'] as const;

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
  thanks?: string;
  /** A BCP 47 language tag. */
  locale?: string;
  /** An IANA name, for times without a zone. */
  timeZone?: string;
  /** Web origins whose pages may submit; `['*']`: every origin. */
  origins: readonly string[];
  /** Whether requests with `Origin: null` pass, such as those of a local file. */
  nullOrigin: boolean;
  next?: string;
  botProtection: BotProtection;
  /** From one client network. Unset: RATE_LIMIT_SUBMIT applies. */
  submitPerMinute?: number;
  closesAt?: Date;
  /** The number of records from which the app accepts no new person. */
  maxRecords?: number;
  notify?: Notify;
  /** Whether each person is asked by email to confirm the address. */
  doubleOptIn?: true;
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

/** Returns whether pages of an origin may submit to an app with these settings (spec 5.3). */
export function allowsOrigin({ origins, nullOrigin }: FormSettings, origin: string): boolean {
  if (origin === 'null') return nullOrigin;
  return origins.includes(origin) || origins.includes('*');
}

/** Returns whether events of records lead to emails in an app with these settings (spec 4.12). */
export function needsEvents({ doubleOptIn, notify }: FormSettings): boolean {
  return doubleOptIn === true || notify?.when === 'each';
}
