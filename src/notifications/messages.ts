import type { ObjectId } from 'mongodb';
import { offeredLanguages } from '../apps/form-settings.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { formControl } from '../fields/presentation.ts';
import { type Language, languageOf } from '../languages/languages.ts';
import { type Block, renderContent } from '../mail/content.ts';
import type { Message } from '../mail/mailer.ts';
import type { ConfirmationStore } from '../records/confirmations.ts';
import type { RecordReader } from '../records/record-reader.ts';
import { type ConfirmationService, LINK_VALID_MS } from './confirmation.ts';
import { formTitle, type MailApp, type MailApps } from './mail-apps.ts';
import type { MailDocument, MailQueue } from './mail-queue.ts';
import { MAIL_LIMITS } from './mail-rates.ts';

const MAX_VALUES = 120;
const MAX_ITEMS = 5;

/** A value as people read it, under its label. */
export interface EntryValue {
  name: string;
  value: string;
}

/** Returns values of the schema under their labels, then the others under their keys. */
export function entryValues(
  { email, data }: { email: string; data: Record<string, unknown> },
  fields: readonly FieldDefinition[],
): EntryValue[] {
  const known = new Set(fields.map(({ key }) => key));
  const values = [
    { name: 'Email', value: email },
    ...fields.flatMap((field) => {
      if (!Object.hasOwn(data, field.key)) return [];
      const { label, choices } = formControl(field);
      const value = data[field.key];
      const labelOf = (one: unknown): string => choices.find((choice) => choice.value === one)?.label ?? showValue(one);
      const isList = field.kind === 'multiselect' && Array.isArray(value);
      return [{ name: label, value: isList ? value.map(labelOf).join(', ') : labelOf(value) }];
    }),
    ...Object.keys(data)
      .filter((key) => !known.has(key))
      .map((key) => ({ name: key, value: showValue(data[key]) })),
  ];
  if (values.length <= MAX_VALUES) return values;
  const rest = values.length - MAX_VALUES;
  return [...values.slice(0, MAX_VALUES), { name: 'More values', value: `${rest} more are in the dashboard` }];
}

function showValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return listText(value);
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value ?? '');
}

function listText(items: readonly unknown[]): string {
  const shown = items.slice(-MAX_ITEMS).reverse().map(itemText);
  const rest = items.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}

/** Items are stored as objects with a `timestamp`; a sent scalar is in `value`. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return showValue(item);
  const { timestamp: _, ...rest } = item as Record<string, unknown>;
  const [only, ...others] = Object.keys(rest);
  return only === 'value' && others.length === 0 ? showValue(rest.value) : JSON.stringify(rest);
}

const WHY = 'You receive this email because your address is in the form settings of this app.';

export type Draft = Omit<Message, 'to'>;

/** Contains no submitted value: anybody can submit the address of another person. */
function confirmationMessage(app: MailApp, link: string, expiresAt: Date, language: Language): Draft {
  const { text } = language;
  const title = formTitle(app, language.tag);
  const heading = text('confirmTitle');
  const blocks: Block[] = [
    { text: text('mailReason', { title }) },
    { text: text('mailOpen') },
    { link, label: text('confirmButton') },
    { text: text('mailValid', { time: language.dateTime(expiresAt, app.form?.timeZone ?? 'UTC') }) },
    { text: text('mailIgnore') },
  ];
  const page = { lang: language.own, dir: languageOf(language.own).dir };
  return { subject: `${heading}: ${title}`, ...renderContent(heading, blocks, page) };
}

function entryMessage(
  app: MailApp,
  entry: { isCreation: boolean; at: Date; values: readonly EntryValue[]; link: string | undefined },
): Draft {
  const heading = entry.isCreation ? 'New entry' : 'Changed entry';
  return draft(`${heading}: ${formTitle(app)}`, heading, [
    { text: `${formTitle(app)}, ${timeIn(app, entry.at)}` },
    { values: entry.values },
    ...linkTo(entry.link, 'Open in the dashboard'),
    { text: WHY },
  ]);
}

function summaryMessage(
  app: MailApp,
  summary: { count: number; isMore: boolean; from: Date; to: Date; link: string | undefined },
): Draft {
  const { count, isMore, from, to, link } = summary;
  const number = `${isMore ? 'more than ' : ''}${count.toLocaleString('en')}`;
  const heading = `… and ${number} more new or changed entries`;
  return draft(`${heading}: ${formTitle(app)}`, heading, [
    { text: `${formTitle(app)}, from ${timeIn(app, from)} to ${timeIn(app, to)}` },
    { text: 'There were too many for an email each.' },
    ...linkTo(link, 'Open the dashboard'),
    { text: WHY },
  ]);
}

function digestMessage(
  app: MailApp,
  digest: { day: string; created: number; changed: number; link: string | undefined },
): Draft {
  const { day, created, changed, link } = digest;
  return draft(`Entries of ${day}: ${formTitle(app)}`, `Entries of ${day}`, [
    { text: formTitle(app) },
    { text: `New: ${created.toLocaleString('en')}\nChanged: ${changed.toLocaleString('en')}` },
    ...linkTo(link, 'Open the dashboard'),
    { text: WHY },
  ]);
}

function draft(subject: string, heading: string, blocks: readonly Block[]): Draft {
  return { subject, ...renderContent(heading, blocks) };
}

function linkTo(link: string | undefined, label: string): Block[] {
  return link === undefined ? [] : [{ link, label }];
}

/** Returns a time such as `31 January 2026 at 08:30 (Europe/Berlin)`, in the app's time zone. */
function timeIn({ form }: MailApp, at: Date): string {
  return languageOf('en').dateTime(at, form?.timeZone ?? 'UTC');
}

const HOUR_MS = 3_600_000;

interface RenderedMail extends Omit<Message, 'to'> {
  /** Normalized addresses. */
  to: readonly string[];
}

/** Resolves with the email in its current form; undefined when there is no reason any more. */
export type RenderMail = (mail: MailDocument) => Promise<RenderedMail | undefined>;

/** Reads data when an email is sent: a removed address or an erased person receives nothing. */
export function createMailRenderer(deps: {
  apps: MailApps;
  records: Pick<RecordReader, 'find'>;
  confirmations: Pick<ConfirmationStore, 'find'>;
  fieldsOf(appId: ObjectId): Promise<readonly FieldDefinition[]>;
  queue: Pick<MailQueue, 'countSummed'>;
  linkPath: ConfirmationService['linkPath'];
  publicUrl: string | undefined;
  now?: () => number;
}): RenderMail {
  const { apps, records, confirmations, fieldsOf, queue, linkPath, publicUrl, now = Date.now } = deps;

  return async (mail) => {
    const app = await apps.ofId(mail.appId);
    if (!app) return undefined;
    if (mail.purpose === 'confirmation') return confirmation(app, mail);
    // Planned emails are also sent after a change between `each` and `daily`.
    const { emails = [] } = app.form?.notify ?? {};
    const draft = emails.length > 0 ? await draftFor(app, mail) : undefined;
    return draft && { to: emails, ...draft };
  };

  async function confirmation(app: MailApp, { recordId, lang }: MailDocument): Promise<RenderedMail | undefined> {
    if (!app.form?.doubleOptIn || publicUrl === undefined || !recordId) return undefined;
    const record = await confirmations.find(app.id, recordId);
    if (!record || record.isConfirmed) return undefined;
    const expiresAt = new Date(now() + LINK_VALID_MS);
    const offered = offeredLanguages(app.form);
    // The app may offer it no longer.
    const tag = lang !== undefined && offered.includes(lang) ? lang : offered[0];
    const kept = offered.length > 1 ? tag : undefined;
    const link = publicUrl + linkPath(app.sourceAppId, app.id, { recordId, expiresAt }, kept);
    return { to: [record.email], ...confirmationMessage(app, link, expiresAt, languageOf(tag)) };
  }

  async function draftFor(app: MailApp, mail: MailDocument): Promise<Draft | undefined> {
    switch (mail.purpose) {
      case 'each':
        return entry(app, mail);
      case 'summary':
        return summary(app, mail, await queue.countSummed(mail._id));
      default: {
        const { day = '', created = 0, changed = 0 } = mail;
        const isEmpty = created + changed === 0;
        return isEmpty ? undefined : digestMessage(app, { day, created, changed, link: dashboardLink(app) });
      }
    }
  }

  function summary(app: MailApp, { hour }: MailDocument, count: number): Draft | undefined {
    if (!hour || count === 0) return undefined;
    const period = { from: hour, to: new Date(hour.getTime() + HOUR_MS) };
    const isMore = count >= MAIL_LIMITS.summed;
    return summaryMessage(app, { count, isMore, ...period, link: dashboardLink(app) });
  }

  async function entry(app: MailApp, { recordId, isCreation = false, at, createdAt }: MailDocument) {
    if (!recordId) return undefined;
    const record = await records.find(app.id, recordId);
    if (!record) return undefined;
    const values = entryValues(record, await fieldsOf(app.id));
    const link = dashboardLink(app, `/${record._id.toString()}`);
    return entryMessage(app, { isCreation, at: at ?? createdAt, values, link });
  }

  /** Returns the URL of the list of users or of a record, the same for operators and admins. */
  function dashboardLink({ sourceAppId }: MailApp, path = ''): string | undefined {
    const users = `/dashboard/apps/${encodeURIComponent(sourceAppId)}/users`;
    return publicUrl === undefined ? undefined : `${publicUrl}${users}${path}`;
  }
}
