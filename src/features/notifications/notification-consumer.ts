import pLimit from 'p-limit';
import { needsEvents, type Reply } from '../form-settings/form-settings.ts';
import type { EventConsumer, RecordEvent } from '../outbox/outbox.ts';
import type { ConfirmationService } from './confirmation.ts';
import type { MailApp, MailApps } from './mail-apps.ts';
import type { MailQueue, NewMail } from './mail-queue.ts';
import type { MailRates } from './mail-rates.ts';
import type { Recipients } from './recipients.ts';
import type { Replies } from './reply.ts';

const CONCURRENCY = 8;

/**
 * Plans emails (spec 4.12), named after their causes, so that a repeated event plans one. Servers
 * that send no email plan them too: another one may send.
 */
export function createNotificationConsumer(deps: {
  apps: Pick<MailApps, 'ofIds'>;
  confirmations: Pick<ConfirmationService, 'plan'>;
  queue: Pick<MailQueue, 'add' | 'removeOf'>;
  rates: Pick<MailRates, 'shareOfHour'>;
  recipients: Pick<Recipients, 'amongEvents'>;
  replies: Replies;
  wake(): void;
}): EventConsumer {
  const { apps, confirmations, queue, rates, recipients, replies, wake } = deps;

  return {
    async forget(...of) {
      await queue.removeOf(...of);
      return true;
    },

    async consume(events) {
      const byApp = new Map<string, RecordEvent[]>();
      for (const event of events) {
        const ofApp = byApp.get(event.appId.toHexString());
        if (ofApp) ofApp.push(event);
        else byApp.set(event.appId.toHexString(), [event]);
      }
      const found = await apps.ofIds([...byApp.values()].flatMap(([first]) => (first ? [first.appId] : [])));
      for (const [id, ofApp] of byApp) {
        const app = found.get(id);
        // The data of a deleted app is removed with it.
        if (app) await planFor(app, ofApp);
      }
      if ([...found.values()].some(({ form }) => form && needsEvents(form))) wake();
    },
  };

  async function planFor(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const written = events.filter(({ type }) => type === 'user.created' || type === 'user.updated');
    if (app.form?.doubleOptIn) await planConfirmations(app, written);
    if (app.form?.notify?.when === 'each') await planNotifications(app, written);
    if (app.form?.reply) await planReplies(app.form.reply, written);
  }

  async function planConfirmations(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const limit = pLimit(CONCURRENCY);
    const plans = events.map(({ id, recordId, lang }) => limit(() => confirmations.plan(app.id, recordId, id, lang)));
    await queue.add((await Promise.all(plans)).filter((mail) => mail !== undefined));
  }

  async function planReplies({ when }: Reply, events: readonly RecordEvent[]): Promise<void> {
    const limit = pLimit(CONCURRENCY);
    const asked = events.filter(({ reply, type }) => reply && (when === 'each' || type === 'user.created'));
    await Promise.all(asked.map((event) => limit(() => replies.plan(event))));
  }

  async function planNotifications(app: MailApp, events: readonly RecordEvent[]): Promise<void> {
    const heard = await recipients.amongEvents(app, events);
    const mails = heard.map(({ id, type, recordId, at }): NewMail => {
      const isCreation = type === 'user.created';
      return { _id: `each:${id}`, appId: app.id, purpose: 'each', recordId, isCreation, at };
    });
    const share = mails.length > 0 ? await rates.shareOfHour(app.id, mails.length) : undefined;
    if (!share) return;
    await queue.add(mails.slice(0, share.single));
    if (share.summed === 0) return;
    const summary = `summary:${app.id.toHexString()}:${share.hour.toISOString()}`;
    // First, so that every counted change has its summary.
    await queue.add([{ _id: summary, appId: app.id, purpose: 'summary', hour: share.hour, nextAt: share.end }]);
    const counted = mails.slice(share.single, share.single + share.summed);
    await queue.add(counted.map((mail) => ({ ...mail, summary })));
  }
}
