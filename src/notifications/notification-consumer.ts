import type { Types } from 'mongoose';
import pLimit from 'p-limit';
import type { FormSettings } from '../apps/form-settings/form-settings.ts';
import { parseRecordId, type RecordId } from '../users/record-id.ts';
import type { ConfirmationService } from './confirmation/confirmation.service.ts';
import type { MailApp, MailApps } from './mail-apps.ts';
import type { MailQueue, NewMail } from './queue/mail-queue.ts';
import type { MailRates } from './queue/mail-rates.ts';

/** Records of which an email is planned at the same time. */
const CONCURRENCY = 8;

/** Something that happened to a record. The same `id` is the same event. */
export interface RecordEvent {
  id: string;
  type: 'user.created' | 'user.updated' | 'user.erased';
  appId: Types.ObjectId;
  recordId: RecordId | string;
  /** The paths of the values that changed. */
  changed?: readonly string[] | undefined;
  at: Date;
}

/** What is told of the events of apps that it accepts. */
export interface EventConsumer {
  /** Identifies it over all servers and releases. */
  name: string;
  /** Whether events of an app with these settings are for it. */
  accepts(app: { form?: FormSettings | undefined }): boolean;
  /**
   * Resolves when nothing of these events can be lost any more. They may be told again, in part and
   * in another order.
   */
  consume(events: readonly RecordEvent[]): Promise<void>;
}

/**
 * Creates the consumer that plans emails (spec 4.12): the confirmation of a record that is not
 * confirmed, and the notification of operators. An email is named after its cause, so an event that
 * is told twice plans one.
 *
 * @param deps.isOn whether the service sends email
 * @param deps.wake called after emails were planned
 */
export function createNotificationConsumer(deps: {
  apps: Pick<MailApps, 'ofIds'>;
  confirmations: Pick<ConfirmationService, 'plan'>;
  queue: Pick<MailQueue, 'add' | 'removeOf'>;
  rates: Pick<MailRates, 'shareOfHour'>;
  isOn: boolean;
  wake(): void;
}): EventConsumer {
  const { apps, confirmations, queue, rates, isOn, wake } = deps;

  return {
    name: 'email',

    accepts: ({ form }) => isOn && (form?.doubleOptIn === true || form?.notify?.when === 'each'),

    async consume(events) {
      if (!isOn || events.length === 0) return;
      const byApp = new Map<string, RecordEvent[]>();
      for (const event of events) {
        const ofApp = byApp.get(event.appId.toHexString());
        if (ofApp) ofApp.push(event);
        else byApp.set(event.appId.toHexString(), [event]);
      }
      const found = await apps.ofIds([...byApp.values()].flatMap(([first]) => (first ? [first.appId] : [])));
      for (const [id, ofApp] of byApp) {
        const app = found.get(id);
        // The data of an app that was deleted is removed with it.
        if (app) await planFor(app, ofApp);
      }
      wake();
    },
  };

  async function planFor(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const erased = events.filter(({ type }) => type === 'user.erased').flatMap(idOf);
    const written = events.filter(({ type }) => type === 'user.created' || type === 'user.updated');
    if (app.form?.doubleOptIn) await planConfirmations(app, written);
    if (app.form?.notify?.when === 'each') await planNotifications(app, written);
    // Afterwards: an erasure is the last event of its record.
    if (erased.length > 0) await queue.removeOf(app.id, ...erased);
  }

  async function planConfirmations(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const limit = pLimit(CONCURRENCY);
    const plans = events.flatMap((event) =>
      idOf(event).map((recordId) => limit(() => confirmations.plan(app.id, recordId, event.id))),
    );
    await queue.add((await Promise.all(plans)).filter((mail) => mail !== undefined));
  }

  async function planNotifications(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const mails = events.flatMap((event): NewMail[] =>
      idOf(event).map((recordId) => {
        const isCreation = event.type === 'user.created';
        return { _id: `each:${event.id}`, appId: app.id, purpose: 'each', recordId, isCreation, at: event.at };
      }),
    );
    const share = mails.length > 0 ? await rates.shareOfHour(app.id, mails.length) : undefined;
    if (!share) return;
    await queue.add(mails.slice(0, share.single));
    if (share.summed === 0) return;
    const summary = `summary:${app.id.toHexString()}:${share.hour.toISOString()}`;
    // First, so that no change is counted by a summary that does not exist.
    await queue.add([{ _id: summary, appId: app.id, purpose: 'summary', hour: share.hour, nextAt: share.end }]);
    const counted = mails.slice(share.single, share.single + share.summed);
    await queue.add(counted.map((mail) => ({ ...mail, summary })));
  }
}

function idOf({ recordId }: RecordEvent): RecordId[] {
  const id = typeof recordId === 'string' ? parseRecordId(recordId) : recordId;
  return id ? [id] : [];
}
