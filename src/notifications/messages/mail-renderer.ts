import type { Types } from 'mongoose';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { Message } from '../../mail/mailer.ts';
import type { UserCollection } from '../../users/users.model.ts';
import { type ConfirmationService, LINK_VALID_MS } from '../confirmation/confirmation.service.ts';
import type { MailApp, MailApps } from '../mail-apps.ts';
import type { MailQueue } from '../queue/mail-queue.ts';
import { MAIL_LIMITS } from '../queue/mail-rates.ts';
import type { MailDocument } from '../queue/mails.model.ts';
import { entryValues } from './entry-values.ts';
import { confirmationMessage, type Draft, digestMessage, entryMessage, summaryMessage } from './messages.ts';

const HOUR_MS = 3_600_000;

/** An email with its recipients. Each one receives a message of its own. */
export interface RenderedMail extends Omit<Message, 'to'> {
  /** Normalized addresses. */
  to: readonly string[];
}

/** Resolves with the email as it is to be sent now; undefined when there is no reason any more. */
export type RenderMail = (mail: MailDocument) => Promise<RenderedMail | undefined>;

/**
 * Creates the renderer of planned emails. Settings, addresses and records are read when an email is
 * sent: an address that was removed receives nothing, and neither does a person who was erased.
 *
 * @param deps.publicUrl the origin of links; undefined: there are none
 * @param deps.now another clock in tests only
 */
export function createMailRenderer(deps: {
  apps: MailApps;
  users: UserCollection;
  /** Resolves with the fields of the newest schema of an app. */
  fieldsOf(appId: Types.ObjectId): Promise<readonly FieldDefinition[]>;
  queue: Pick<MailQueue, 'countSummed'>;
  linkPath: ConfirmationService['linkPath'];
  publicUrl: string | undefined;
  now?: () => number;
}): RenderMail {
  const { apps, users, fieldsOf, queue, linkPath, publicUrl, now = Date.now } = deps;

  return async (mail) => {
    const app = await apps.ofId(mail.appId);
    if (!app) return undefined;
    if (mail.purpose === 'confirmation') return confirmation(app, mail);
    // What was planned is also sent after a change between `each` and `daily`.
    const { emails = [] } = app.form?.notify ?? {};
    const draft = emails.length > 0 ? await draftFor(app, mail) : undefined;
    return draft && { to: emails, ...draft };
  };

  async function confirmation(app: MailApp, { recordId }: MailDocument): Promise<RenderedMail | undefined> {
    if (!app.form?.doubleOptIn || publicUrl === undefined || !recordId) return undefined;
    const filter = { _id: recordId, appId: app.id };
    const record = await users.findOne(filter, { projection: { email: 1, confirmedAt: 1 } });
    if (!record || record.confirmedAt) return undefined;
    const expiresAt = new Date(now() + LINK_VALID_MS);
    const link = publicUrl + linkPath(app.sourceAppId, app.id, recordId, expiresAt);
    return { to: [record.email], ...confirmationMessage(app, link, expiresAt) };
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
    const record = await users.findOne({ _id: recordId, appId: app.id }, { projection: { email: 1, data: 1 } });
    if (!record) return undefined;
    const values = entryValues(record, await fieldsOf(app.id));
    const link = dashboardLink(app, `/${record._id.toString()}`);
    return entryMessage(app, { isCreation, at: at ?? createdAt, values, link });
  }

  /** The address of the list of users, or of a record: the same for operators and admins. */
  function dashboardLink({ sourceAppId }: MailApp, path = ''): string | undefined {
    const users = `/dashboard/apps/${encodeURIComponent(sourceAppId)}/users`;
    return publicUrl === undefined ? undefined : `${publicUrl}${users}${path}`;
  }
}
