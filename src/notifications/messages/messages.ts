import { type Block, contentOf } from '../../mail/content.ts';
import type { Message } from '../../mail/mailer.ts';
import { type MailApp, titleOf } from '../mail-apps.ts';
import type { EntryValue } from './entry-values.ts';

const WHY = 'You receive this email because your address is in the form settings of this app.';

/** An email without its recipients. */
export type Draft = Omit<Message, 'to'>;

/**
 * The email that asks a person to confirm the address. It has nothing that was submitted: anybody
 * can submit the address of another person.
 */
export function confirmationMessage(app: MailApp, link: string, expiresAt: Date): Draft {
  return draft(`Confirm your email address: ${titleOf(app)}`, 'Confirm your email address', [
    { text: `Somebody entered this email address in a form: ${titleOf(app)}` },
    { text: 'If it was you, open this page and press its button:' },
    { link, label: 'Confirm email address' },
    { text: `The link is valid until ${timeIn(app, expiresAt)}.` },
    { text: 'If it was not you, ignore this email. The address then stays unconfirmed.' },
  ]);
}

/** The email that shows operators a new or changed record. */
export function entryMessage(
  app: MailApp,
  entry: { isCreation: boolean; at: Date; values: readonly EntryValue[]; link: string | undefined },
): Draft {
  const heading = entry.isCreation ? 'New entry' : 'Changed entry';
  return draft(`${heading}: ${titleOf(app)}`, heading, [
    { text: `${titleOf(app)}, ${timeIn(app, entry.at)}` },
    { values: entry.values },
    ...linkTo(entry.link, 'Open in the dashboard'),
    { text: WHY },
  ]);
}

/** The email that counts the changes of an hour for which there was no email of their own. */
export function summaryMessage(
  app: MailApp,
  summary: { count: number; isMore: boolean; from: Date; to: Date; link: string | undefined },
): Draft {
  const { count, isMore, from, to, link } = summary;
  const number = `${isMore ? 'more than ' : ''}${count.toLocaleString('en')}`;
  const heading = `… and ${number} more new or changed entries`;
  return draft(`${heading}: ${titleOf(app)}`, heading, [
    { text: `${titleOf(app)}, from ${timeIn(app, from)} to ${timeIn(app, to)}` },
    { text: 'There were too many for an email each.' },
    ...linkTo(link, 'Open the dashboard'),
    { text: WHY },
  ]);
}

/** The daily email with the numbers of records. */
export function digestMessage(
  app: MailApp,
  digest: { day: string; created: number; changed: number; link: string | undefined },
): Draft {
  const { day, created, changed, link } = digest;
  return draft(`Entries of ${day}: ${titleOf(app)}`, `Entries of ${day}`, [
    { text: titleOf(app) },
    { text: `New: ${created.toLocaleString('en')}\nChanged: ${changed.toLocaleString('en')}` },
    ...linkTo(link, 'Open the dashboard'),
    { text: WHY },
  ]);
}

function draft(subject: string, heading: string, blocks: readonly Block[]): Draft {
  return { subject, ...contentOf(heading, blocks) };
}

function linkTo(link: string | undefined, label: string): Block[] {
  return link === undefined ? [] : [{ link, label }];
}

/** A time in the app's time zone, such as `31 January 2026 at 08:30 (Europe/Berlin)`. */
function timeIn({ form }: MailApp, at: Date): string {
  const timeZone = form?.timeZone ?? 'UTC';
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at);
  return `${text} (${timeZone})`;
}
