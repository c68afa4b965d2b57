import type { ObjectId } from 'mongodb';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { createdAtOf } from '../../platform/database/ordered-ids.ts';
import { type Language, languageOf } from '../../platform/languages/languages.ts';
import { forTag } from '../../platform/languages/tags.ts';
import { type Block, renderContent } from '../../platform/mail/content.ts';
import type { Message } from '../../platform/mail/mailer.ts';
import { accentColors, withPreset } from '../display/theme.ts';
import { ENTRY_LINK } from '../form-settings/emails.ts';
import { DEFAULT_FORM_SETTINGS, type FormSettings, offeredLanguages } from '../form-settings/form-settings.ts';
import { formImages } from '../forms/page.ts';
import type { Suppressions } from '../people/suppressions.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';
import type { Confirmation, ConfirmationStore } from '../records/confirmations.ts';
import { type ConfirmationService, isForAddress, LINK_VALID_MS, type WaitingChanges } from './confirmation.ts';
import { ENTRY_LINK_MS, type EntryLinkPath } from './entry-mails.ts';
import { changedNames, changedValues, entryValues } from './entry-values.ts';
import type { LinkTarget } from './link-tokens.ts';
import { dashboardUrl, formTitle, type MailApp, type MailApps } from './mail-apps.ts';
import type { MailDocument, MailQueue } from './mail-queue.ts';
import { MAIL_LIMITS } from './mail-rates.ts';
import type { Recipients } from './recipients.ts';
import { isOfProgram } from './reply.ts';
import { addressText, fillReply, replyValue } from './reply-text.ts';

const WHY = 'You receive this email because your address is in the form settings of this app.';
const HOUR_MS = 3_600_000;

type Draft = Omit<Message, 'to'>;

/** `to`: normalized addresses. */
type RenderedMail = Draft & { to: readonly string[] };

/** Resolves with the email in its current form; undefined when there is no reason any more. */
export type RenderMail = (mail: MailDocument) => Promise<RenderedMail | undefined>;

/** Reads data when an email is sent: a removed address or an erased person receives nothing. */
export function createMailRenderer(deps: {
  apps: MailApps;
  records: Pick<RecordReader, 'find'>;
  confirmations: Pick<ConfirmationStore, 'find'>;
  fieldsOf(appId: ObjectId): Promise<readonly FieldDefinition[]>;
  queue: Pick<MailQueue, 'countSummed' | 'hasBounced'>;
  changes: Pick<WaitingChanges, 'find' | 'dataFor'>;
  suppressions: Pick<Suppressions, 'among'>;
  recipients: Pick<Recipients, 'of'>;
  linkPath: ConfirmationService['linkPath'];
  entryPath: EntryLinkPath;
  publicUrl: string | undefined;
}): RenderMail {
  const { apps, records, confirmations, changes, fieldsOf, queue, suppressions, recipients, publicUrl } = deps;
  const { linkPath, entryPath } = deps;

  return async (mail) => {
    const app = await apps.ofId(mail.appId);
    if (!app) return undefined;
    if (mail.purpose === 'confirmation') return confirmation(app, mail);
    if (mail.purpose === 'reply') return reply(app, mail);
    if (mail.purpose === 'change') return changeMail(app, mail);
    if (mail.purpose === 'entry') return entryMail(app, mail);
    // Planned emails are also sent after a change between `each` and `daily`.
    const to = await recipients.of(app, mail);
    const content = to.length > 0 ? await notification(app, mail) : undefined;
    return content && { to, ...content };
  };

  /** Contains no submitted value: anybody can submit the address of another person. */
  async function confirmation(app: MailApp, mail: MailDocument): Promise<RenderedMail | undefined> {
    const { recordId, lang } = mail;
    if (!app.form?.doubleOptIn || publicUrl === undefined || !recordId) return undefined;
    const record = await confirmations.find(app.id, recordId);
    if (!record || record.isConfirmed || !isForAddress(mail, recordId, record.emailChange)) return undefined;
    const { email, emailChange } = record;
    const expiresAt = new Date(Date.now() + LINK_VALID_MS);
    const link = { recordId, expiresAt, emailChange };
    return linkMail(app, email, { link, path: linkPath }, lang, ({ tag, text }) => ({
      heading: text('confirmTitle'),
      button: text('confirmButton'),
      open: text('mailOpen'),
      reason: [{ text: text('mailReason', { title: formTitle(app, tag) }) }],
      ignore: text('mailIgnore'),
    }));
  }

  /** Contains no submitted value: anybody can ask for it. */
  async function entryMail(app: MailApp, mail: MailDocument): Promise<RenderedMail | undefined> {
    const { recordId, lang } = mail;
    if (!app.form?.own || publicUrl === undefined || !recordId) return undefined;
    const person = await confirmations.find(app.id, recordId);
    if (!person || !isForAddress(mail, recordId, person.emailChange)) return undefined;
    const link = { recordId, expiresAt: new Date(Date.now() + ENTRY_LINK_MS), emailChange: person.emailChange };
    return linkMail(app, person.email, { link, path: entryPath }, lang, ({ tag, text }) => ({
      heading: text('entryMailTitle'),
      button: text('entryMailButton'),
      open: text('entryMailOpen'),
      reason: [{ text: text('entryMail', { title: formTitle(app, tag) }) }],
      ignore: text('entryMailIgnore'),
    }));
  }

  /**
   * Names the fields that would change. Shows values only to an address that confirmed itself:
   * anybody can make a record of the address of another person, and then change it.
   */
  async function changeMail(app: MailApp, { changeId, lang }: MailDocument): Promise<RenderedMail | undefined> {
    if (publicUrl === undefined || !changeId) return undefined;
    const change = await changes.find(app.id, changeId);
    const person = change && (await confirmations.find(app.id, change.recordId));
    const record = person && (await records.find(app.id, change.recordId));
    if (!record || person?.email !== change?.email || record.email !== change?.email) return undefined;
    const values = { stored: record.data, sent: await changes.dataFor(change) };
    const fields = await fieldsOf(app.id);
    const link = { recordId: changeId, expiresAt: change.expiresAt };
    return linkMail(app, change.email, { link, path: linkPath }, lang, ({ tag, text }) => ({
      heading: text('changeTitle'),
      button: text('changeButton'),
      open: text('mailOpen'),
      reason: [
        { text: text('mailChange', { title: formTitle(app, tag) }) },
        {
          values: person.isConfirmed
            ? changedValues(values, fields, { tag, timeZone: app.form?.timeZone })
            : changedNames(values, fields, tag),
        },
      ],
      ignore: text('mailChangeIgnore'),
    }));
  }

  /** @param textsOf the texts of the email in a language */
  function linkMail(
    app: MailApp,
    to: string,
    { link, path: pathOf }: { link: LinkTarget; path: EntryLinkPath },
    lang: string | undefined,
    textsOf: (language: Language) => Record<'heading' | 'button' | 'open' | 'ignore', string> & { reason: Block[] },
  ): RenderedMail {
    const form = app.form ?? {};
    const tag = languageFor(form, lang);
    const path = pathOf(app.sourceAppId, app.id, link, languageInLink(form, tag));
    const language = languageOf(tag);
    const { text, own, dateTime } = language;
    const { heading, button, open, reason, ignore } = textsOf(language);
    const time = dateTime(link.expiresAt, app.form?.timeZone ?? 'UTC');
    const blocks: Block[] = [
      ...reason,
      { text: open },
      { link: publicUrl + path, label: button },
      { text: text('mailValid', { time }) },
      { text: ignore },
    ];
    const { accent } = withPreset(app.form?.theme ?? {});
    // Emails have a white background.
    const colors = accent === undefined ? undefined : accentColors(accent, 'light');
    const content = renderContent(heading, blocks, {
      lang: own,
      dir: languageOf(own).dir,
      button: colors,
      images: imagesOf(app),
    });
    return { to: [to], subject: `${heading}: ${formTitle(app, tag)}`, ...content };
  }

  /** Mail programs need absolute addresses. */
  function imagesOf({ sourceAppId, form = DEFAULT_FORM_SETTINGS }: MailApp) {
    if (publicUrl === undefined) return [];
    return formImages({ sourceAppId, settings: form }).map((image) => ({ ...image, src: publicUrl + image.src }));
  }

  async function reply(app: MailApp, mail: MailDocument): Promise<RenderedMail | undefined> {
    const { recordId, lang } = mail;
    const { reply: settings, notify, timeZone = 'UTC' } = app.form ?? {};
    if (!app.form || !settings || !recordId) return undefined;
    const person = await confirmations.find(app.id, recordId);
    const record = person && (await records.find(app.id, recordId));
    if (!person || !record || !isForAddress(mail, recordId, person.emailChange)) return undefined;
    if (await mayNotReceive(app, person, recordId, mail._id)) return undefined;
    const fields = new Map((await fieldsOf(app.id)).map((field) => [field.key, field]));
    const tag = languageFor(app.form, lang);
    const language = languageOf(tag);
    const to = { ...person, tag, dateTime: (at: Date) => language.dateTime(at, timeZone) };
    const { subject, text } = forTag(settings.texts, tag) ?? settings;
    const paragraphs = fillReply(text, (name) => {
      if (name === 'email') return addressText(to);
      const isIncluded = settings.include?.includes(name);
      if (name === ENTRY_LINK && !isIncluded) return entryLink(app, recordId, person, tag);
      const field = isIncluded ? fields.get(name) : undefined;
      return field && Object.hasOwn(record.data, name) ? replyValue(field, record.data[name], to) : undefined;
    });
    const blocks: Block[] = [
      ...paragraphs.map((paragraph) => ({ text: paragraph, max: paragraph.length })),
      { text: language.text('mailReason', { title: formTitle(app, tag) }) },
    ];
    const content = renderContent(subject, blocks, { lang: tag, dir: language.dir, images: imagesOf(app) });
    return { to: [person.email], subject, ...content, replyTo: notify?.emails[0], isReply: true };
  }

  /** Returns a new link to the entry of a person; undefined while people cannot open it. */
  function entryLink(app: MailApp, recordId: RecordId, { emailChange }: Confirmation, tag: string): string | undefined {
    if (!app.form?.own || publicUrl === undefined) return undefined;
    const link = { recordId, expiresAt: new Date(Date.now() + ENTRY_LINK_MS), emailChange };
    return publicUrl + entryPath(app.sourceAppId, app.id, link, languageInLink(app.form, tag));
  }

  /** Resolves with whether an address is one of a program, is suppressed, or refused an email. */
  async function mayNotReceive(
    app: MailApp,
    { email, emailChange }: Confirmation,
    recordId: RecordId,
    id: string,
  ): Promise<boolean> {
    const since = emailChange && createdAtOf(emailChange);
    if (isOfProgram(email) || (await queue.hasBounced(recordId, id, since))) return true;
    return (await suppressions.among(app.id, [email])).has(email);
  }

  async function notification(app: MailApp, mail: MailDocument): Promise<Draft | undefined> {
    switch (mail.purpose) {
      case 'each':
        return entry(app, mail);
      case 'summary':
        return summary(app, mail);
      default:
        return digest(app, mail);
    }
  }

  async function entry(app: MailApp, { recordId, isCreation, at, createdAt }: MailDocument) {
    const record = recordId && (await records.find(app.id, recordId));
    if (!record) return undefined;
    const content = draft(app, isCreation ? 'New entry' : 'Changed entry', [
      { text: `${formTitle(app)}, ${timeIn(app, at ?? createdAt)}` },
      { values: entryValues(record, await fieldsOf(app.id), { timeZone: app.form?.timeZone }) },
      ...linkTo('Open in the dashboard', dashboardUrl(publicUrl, app.sourceAppId, record._id)),
    ]);
    // An answer goes to the person.
    return { ...content, replyTo: record.email };
  }

  async function summary(app: MailApp, { _id, hour }: MailDocument): Promise<Draft | undefined> {
    const count = hour ? await queue.countSummed(_id) : 0;
    if (!hour || count === 0) return undefined;
    const end = new Date(hour.getTime() + HOUR_MS);
    const number = `${count >= MAIL_LIMITS.summed ? 'more than ' : ''}${count.toLocaleString('en')}`;
    return draft(app, `… and ${number} more new or changed entries`, [
      { text: `${formTitle(app)}, from ${timeIn(app, hour)} to ${timeIn(app, end)}` },
      { text: 'There were too many entries to send an email for each.' },
      ...linkTo('Open the dashboard', dashboardUrl(publicUrl, app.sourceAppId)),
    ]);
  }

  function digest(app: MailApp, { day = '', created = 0, changed = 0 }: MailDocument): Draft | undefined {
    if (created + changed === 0) return undefined;
    return draft(app, `Entries of ${day}`, [
      { text: formTitle(app) },
      { text: `New: ${created.toLocaleString('en')}\nChanged: ${changed.toLocaleString('en')}` },
      ...linkTo('Open the dashboard', dashboardUrl(publicUrl, app.sourceAppId)),
    ]);
  }
}

/** Returns the language of a person, unless the app no longer offers it: then that of the app. */
function languageFor(form: Pick<FormSettings, 'locale' | 'languages'>, lang: string | undefined): string {
  const offered = offeredLanguages(form);
  return lang !== undefined && offered.includes(lang) ? lang : offered[0];
}

/** The language that a link names: of an app that has several. */
const languageInLink = (form: Pick<FormSettings, 'locale' | 'languages'>, tag: string): string | undefined =>
  offeredLanguages(form).length > 1 ? tag : undefined;

function draft(app: MailApp, heading: string, blocks: readonly Block[]): Draft {
  return { subject: `${heading}: ${formTitle(app)}`, ...renderContent(heading, [...blocks, { text: WHY }]) };
}

const linkTo = (label: string, link: string | undefined): Block[] => (link === undefined ? [] : [{ link, label }]);

/** Returns a time such as `31 January 2026 at 08:30 (Europe/Berlin)`, in the app's time zone. */
const timeIn = ({ form }: MailApp, at: Date): string => languageOf('en').dateTime(at, form?.timeZone ?? 'UTC');
