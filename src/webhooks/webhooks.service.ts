import { UUID } from 'mongodb';
import type { AppConsumers } from '../apps/app-consumers.ts';
import type { ScopedApp } from '../apps/app-scope.ts';
import { Conflict, InvalidInput, NotFound } from '../core/errors.ts';
import type { EventType } from '../records/outbox.ts';
import { parseRecordId, type RecordId } from '../records/record-id.ts';
import { signedMessage } from './attempts.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { createSecret, isAllowedHost, type Sender, type SendResult } from './sender.ts';
import { consumerName, type WebhookRemoval } from './webhook-removal.ts';
import type { WebhookDocument, WebhookStore } from './webhook-store.ts';

const MAX_WEBHOOKS = 20;
const OLD_SECRET_MS = 24 * 60 * 60 * 1_000;
/** The secrets that sign at the same time; further rotations end the oldest one. */
const MAX_SECRETS = 5;

export interface WebhookChange {
  url?: string | undefined;
  events?: EventType[] | undefined;
  enabled?: boolean | undefined;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

/** The operations on webhooks (spec 4.11). */
export function createWebhookService(deps: {
  webhooks: WebhookStore;
  deliveries: Pick<DeliveryStore, 'giveUp'>;
  consumers: Pick<AppConsumers, 'add'>;
  removal: Pick<WebhookRemoval, 'remove'>;
  sender: Sender;
  newId: (at: Date) => RecordId;
  allowPrivate: boolean;
  wake: () => void;
}) {
  const { webhooks, deliveries, consumers, removal, sender, newId, allowPrivate, wake } = deps;

  const find = (app: ScopedApp, id: string): Promise<WebhookDocument> => findWebhook(webhooks, app, id);

  function checkUrl(text: string): void {
    const url = new URL(text);
    if (allowPrivate && url.protocol === 'http:') return;
    if (url.protocol !== 'https:') throw invalidUrl('must begin with https://');
    // The addresses of a name are checked when the service connects.
    if (!allowPrivate && !isAllowedHost(url)) throw invalidUrl('must not name a private address or localhost');
  }

  return {
    /** Resolves with the webhooks of an app, oldest first. */
    list: (app: ScopedApp): Promise<WebhookDocument[]> => webhooks.ofApps([app.id]),

    /**
     * Once this resolves, every later change of a record leads to an event.
     * @throws {InvalidInput} for the URL @throws {Conflict} when the app has too many webhooks
     */
    async create(
      app: ScopedApp,
      { url, events, secret = createSecret() }: { url: string; events: EventType[]; secret?: string | undefined },
    ): Promise<{ webhook: WebhookDocument; secret: string }> {
      checkUrl(url);
      if ((await webhooks.ofApps([app.id])).length >= MAX_WEBHOOKS) throw tooMany();
      const createdAt = new Date();
      const webhook: WebhookDocument = {
        ...{ _id: newId(createdAt), appId: app.id, sourceAppId: app.sourceAppId, url, events },
        ...{ secrets: [{ secret }], createdAt },
      };
      await webhooks.insert(webhook);
      // Others may have been created since the count; then all of them may be refused.
      if ((await webhooks.ofApps([app.id])).length > MAX_WEBHOOKS) {
        await removal.remove(webhook);
        throw tooMany();
      }
      await consumers.add(app.id, consumerName(webhook._id));
      wake();
      return { webhook, secret };
    },

    /** Changes a webhook. @throws {NotFound} @throws {InvalidInput} for the URL */
    async change(app: ScopedApp, id: string, { url, events, enabled }: WebhookChange): Promise<WebhookDocument> {
      if (url !== undefined) checkUrl(url);
      const { _id, disabled } = await find(app, id);
      const isSwitchedOff = enabled === false && !disabled;
      const changed = await webhooks.update(app.id, _id, {
        set: {
          ...(url !== undefined && { url }),
          ...(events && { events }),
          ...(isSwitchedOff && { disabled: { reason: 'operator' as const, at: new Date() } }),
        },
        unset: enabled ? { disabled: 1, failingSince: 1 } : {},
      });
      if (!changed) throw notFound();
      if (isSwitchedOff) await deliveries.giveUp({ appId: app.id, webhookId: _id }, () => webhooks.isOff(_id));
      return changed;
    },

    /** Deletes a webhook with its deliveries. @throws {NotFound} */
    async remove(app: ScopedApp, id: string): Promise<void> {
      await removal.remove(await find(app, id));
    },

    /** Replaces the secret. The newest four old ones sign for 24 hours more. @throws {NotFound} */
    async rotateSecret(app: ScopedApp, id: string): Promise<string> {
      const secret = createSecret();
      for (;;) {
        const { _id, secrets } = await find(app, id);
        const now = Date.now();
        const old = secrets
          .filter(({ until }) => !until || until.getTime() > now)
          .map((one) => ({ ...one, until: one.until ?? new Date(now + OLD_SECRET_MS) }));
        const rotated = [{ secret }, ...old].slice(0, MAX_SECRETS);
        // Repeated when the secret was replaced meanwhile.
        if (await webhooks.replaceSecrets(app.id, _id, secrets, rotated)) return secret;
      }
    },

    /** Sends one event of the type `webhook.test`; resolves with the result. @throws {NotFound} */
    async test(app: ScopedApp, id: string): Promise<SendResult> {
      const webhook = await find(app, id);
      const at = new Date();
      const recordId = new UUID().toString();
      const data = {
        ...{ id: recordId, sourceAppId: app.sourceAppId, email: 'ada@example.com', data: { name: 'Ada' }, revision: 1 },
      };
      const body = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data });
      return sender.send(signedMessage(webhook, { _id: newId(at).toString() }, body, at));
    },
  };
}

/** @throws {NotFound} */
export async function findWebhook(
  webhooks: Pick<WebhookStore, 'ofApp'>,
  app: ScopedApp,
  id: string,
): Promise<WebhookDocument> {
  const _id = parseRecordId(id);
  const webhook = _id && (await webhooks.ofApp(app.id, _id));
  if (!webhook) throw notFound();
  return webhook;
}

function invalidUrl(message: string): InvalidInput {
  return new InvalidInput('Invalid webhook', [{ path: 'url', message }]);
}

function tooMany(): Conflict {
  return new Conflict(`An app has at most ${MAX_WEBHOOKS} webhooks`);
}

function notFound(): NotFound {
  return new NotFound('Webhook not found');
}
