import type { ObjectId } from 'mongodb';
import type { ScopedApp } from '../../core/api/principal.ts';
import type { Conditions } from '../../core/fields/conditions.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { Conflict, InvalidInput, NotFound } from '../../platform/core/errors.ts';
import type { Until } from '../../platform/database/clock.ts';
import { parseUuid } from '../../platform/database/ordered-ids.ts';
import { type PlainCode, reasonOf, say } from '../../platform/languages/reasons.ts';
import type { AppConsumers } from '../outbox/app-consumers.ts';
import type { EventType } from '../outbox/outbox.ts';
import type { ConditionRules } from '../record-conditions/record-conditions.service.ts';
import type { StoredConditions } from '../record-conditions/stored-conditions.ts';
import { buildMessage } from './attempts.ts';
import type { DeliveryStore } from './deliveries.model.ts';
import { formatOf, isShortened, type WebhookFormat } from './formats.ts';
import { type ReadForm, renderBody, sampleEvent } from './payload.ts';
import { createSecret, isAllowedHost, type Sender, type SendResult } from './sender.ts';
import { consumerName, type WebhookRemoval } from './webhook-removal.ts';
import type { WebhookDocument, WebhookStore } from './webhooks.model.ts';

const MAX_WEBHOOKS = 20;
const OLD_SECRET_MS = 24 * 60 * 60 * 1_000;
/** The secrets that sign at the same time; further rotations end the oldest one. */
const MAX_SECRETS = 5;

/** A webhook with its conditions as they are under the newest schema. */
interface ShownWebhook {
  webhook: WebhookDocument;
  conditions: Awaited<ReturnType<ConditionRules['shown']>>[number] | undefined;
}

interface WebhookChange {
  url?: string | undefined;
  events?: EventType[] | undefined;
  format?: WebhookFormat | undefined;
  /** Null: the events of every record. */
  if?: Conditions | null | undefined;
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
  readForm: ReadForm;
  fieldsOf: (appId: ObjectId) => Promise<readonly FieldDefinition[]>;
  conditionRules: Pick<ConditionRules, 'shown' | 'checked'>;
  newId: (at: Date) => RecordId;
  allowPrivate: boolean;
  wake: () => void;
}) {
  const { webhooks, deliveries, consumers, removal, sender, readForm, fieldsOf, newId, allowPrivate, wake } = deps;
  const { conditionRules } = deps;

  const find = (app: ScopedApp, id: string): Promise<WebhookDocument> => findWebhook(webhooks, app, id);

  function checkUrl(text: string): void {
    const url = new URL(text);
    if (isShortened(url)) throw invalidUrl('notWholeUrl');
    if (allowPrivate && url.protocol === 'http:') return;
    if (url.protocol !== 'https:') throw invalidUrl('notHttps');
    // The addresses of a name are checked when the service connects.
    if (!allowPrivate && !isAllowedHost(url)) throw invalidUrl('privateAddress');
  }

  /** Resolves with conditions as they are stored. @throws {InvalidInput} */
  async function checkConditions(
    app: ScopedApp,
    conditions: Conditions,
    before: StoredConditions | undefined,
  ): Promise<StoredConditions> {
    const [checked] = await conditionRules.checked(app.id, [conditions], before ? [before] : []);
    const issues = checked?.issues.map((issue) => ({ ...issue, path: `if.${issue.path}` })) ?? [];
    if (issues.length > 0) throw new InvalidInput('invalidWebhook', issues);
    return checked?.conditions ?? conditions;
  }

  /** Resolves with webhooks, each with its conditions under the keys of the newest schema. */
  async function shown(app: ScopedApp, list: readonly WebhookDocument[]): Promise<ShownWebhook[]> {
    const stored = list.flatMap((webhook) => webhook.if ?? []);
    const present = await conditionRules.shown(app.id, stored);
    const byStored = new Map(stored.map((conditions, place) => [conditions, present[place]]));
    return list.map((webhook) => ({ webhook, conditions: webhook.if && byStored.get(webhook.if) }));
  }

  return {
    shown,

    /** Resolves with the webhooks of an app, oldest first. */
    list: async (app: ScopedApp): Promise<ShownWebhook[]> => shown(app, await webhooks.ofApps([app.id])),

    /**
     * Once this resolves, every later change of a record leads to an event.
     * @throws {InvalidInput} for the URL and the conditions
     * @throws {Conflict} when the app has too many webhooks
     * @throws {Unavailable} when the time is over
     */
    async create(
      app: ScopedApp,
      {
        url,
        events,
        format = 'standard',
        if: conditions,
        secret = createSecret(),
      }: Pick<WebhookChange, 'format' | 'if'> & { url: string; events: EventType[]; secret?: string | undefined },
      until: Until,
    ): Promise<{ webhook: WebhookDocument; secret: string }> {
      checkUrl(url);
      const stored = conditions ? await checkConditions(app, conditions, undefined) : undefined;
      if ((await webhooks.ofApps([app.id])).length >= MAX_WEBHOOKS) throw tooMany();
      const createdAt = new Date();
      const webhook: WebhookDocument = {
        _id: newId(createdAt),
        appId: app.id,
        sourceAppId: app.sourceAppId,
        url,
        events,
        format,
        ...(stored && { if: stored }),
        secrets: [{ secret }],
        createdAt,
      };
      // First, because nobody can delete a webhook, and with it its consumer, before it is stored.
      await consumers.add(app.id, consumerName(webhook._id), until);
      await webhooks.insert(webhook);
      // Others may have been created since the count; then all of them may be refused.
      if ((await webhooks.ofApps([app.id])).length > MAX_WEBHOOKS) {
        await removal.remove(webhook, until);
        throw tooMany();
      }
      wake();
      return { webhook, secret };
    },

    /**
     * Changes a webhook; resolves with it before and after.
     * @throws {NotFound} @throws {InvalidInput} for the URL and the conditions
     */
    async change(
      app: ScopedApp,
      id: string,
      change: WebhookChange,
      until: Until,
    ): Promise<Record<'before' | 'after', WebhookDocument>> {
      const { url, events, format, if: conditions, enabled } = change;
      if (url !== undefined) checkUrl(url);
      for (;;) {
        const webhook = await find(app, id);
        const { _id, disabled } = webhook;
        const isRevealed = formatOf(webhook).isSecret && !formatOf({ format: format ?? webhook.format }).isSecret;
        if (isRevealed && url === undefined) throw invalidUrl('urlRequired');
        const isSwitchedOff = enabled === false && !disabled;
        const set = {
          ...(url !== undefined && { url }),
          ...(events && { events }),
          ...(format && { format }),
          ...(conditions && { if: await checkConditions(app, conditions, webhook.if) }),
          ...(isSwitchedOff && { disabled: { reason: 'operator' as const, at: new Date() } }),
        };
        const unset = {
          ...(enabled && { disabled: 1 as const, failingSince: 1 as const }),
          ...(conditions === null && { if: 1 as const }),
        };
        const changed = await webhooks.update(webhook, { set, unset }, until);
        // Its format was changed meanwhile, it was deleted, or the time is over.
        if (!changed) continue;
        const isOff = (): Promise<boolean> => webhooks.isOff(_id);
        if (isSwitchedOff) await deliveries.giveUp({ appId: app.id, webhookId: _id }, isOff, until);
        return { before: webhook, after: changed };
      }
    },

    /** Deletes a webhook with its deliveries. @throws {NotFound} */
    async remove(app: ScopedApp, id: string, until: Until): Promise<void> {
      await removal.remove(await find(app, id), until);
    },

    /** Replaces the secret. The newest four old ones sign for 24 hours more. @throws {NotFound} */
    async rotateSecret(app: ScopedApp, id: string, until: Until): Promise<string> {
      const secret = createSecret();
      for (;;) {
        const { _id, secrets } = await find(app, id);
        const now = Date.now();
        const old = secrets
          .filter(({ until }) => !until || until.getTime() > now)
          .map((one) => ({ ...one, until: one.until ?? new Date(now + OLD_SECRET_MS) }));
        const rotated = [{ secret }, ...old].slice(0, MAX_SECRETS);
        // Repeated when the secret was replaced meanwhile.
        if (await webhooks.replaceSecrets(app.id, _id, secrets, rotated, until)) return secret;
      }
    },

    /** Sends one event of the type `webhook.test`; resolves with the result. @throws {NotFound} */
    async test(app: ScopedApp, id: string): Promise<SendResult> {
      const webhook = await find(app, id);
      const at = new Date();
      const [form, fields] = await Promise.all([readForm(webhook), fieldsOf(app.id)]);
      const event = { ...sampleEvent('webhook.test', app.sourceAppId, fields), timestamp: at.toISOString() };
      const body = renderBody(webhook, event, form);
      return sender.send(buildMessage(webhook, { _id: newId(at).toString() }, body, at));
    },

    /** Resolves with an example of an event, with example values of the newest schema. */
    sample: async <Type extends EventType>({ id, sourceAppId }: ScopedApp, type: Type) =>
      sampleEvent(type, sourceAppId, await fieldsOf(id)),
  };
}

/** @throws {NotFound} */
export async function findWebhook(
  webhooks: Pick<WebhookStore, 'find'>,
  app: ScopedApp,
  id: string,
): Promise<WebhookDocument> {
  const _id = parseUuid(id);
  const webhook = _id && (await webhooks.find(app.id, _id));
  if (!webhook) throw new NotFound('webhookNotFound');
  return webhook;
}

function invalidUrl(problem: PlainCode): InvalidInput {
  return new InvalidInput('invalidWebhook', [{ path: 'url', ...reasonOf(problem) }]);
}

function tooMany(): Conflict {
  return new Conflict(say('webhookLimit', { max: MAX_WEBHOOKS }));
}
