import { mongo } from 'mongoose';
import type { Logger } from '../../core/logger.ts';
import { type Metrics, NO_METRICS } from '../../metrics/metrics.ts';
import type { RecordId } from '../../users/record-id.ts';
import { pauseAfter } from '../sending/retry-schedule.ts';
import type { Sender, SendResult } from '../sending/sender.ts';
import { signedHeaders } from '../sending/signature.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { DeliveryDocument, WebhookDocument } from '../webhooks.model.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { Endpoint } from './endpoint.ts';
import { bodyOf, type RecordReader } from './payload.ts';

/** The attempts in progress over all endpoints. */
const MAX_AT_ONCE = 200;
/** How often the endpoints with waiting deliveries are read from the database. */
const REFRESH_MS = 1_000;
/** How often an endpoint is looked at without a sign of work: another server may have replayed. */
const LOOK_EVERY_MS = 5_000;
/** The pause before another look at an endpoint whose due deliveries wait for earlier ones. */
const BLOCKED_MS = 100;
/** The status by which an endpoint says that it is gone for good. */
const GONE = 410;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Creates what makes the attempts of waiting deliveries. Only one server may run it at a time; an
 * attempt that another server makes at the same time, for a moment, is a repetition with the same
 * id.
 *
 * @param deps.now the time in milliseconds, as in Date.now; another one in tests only
 */
export function createDispatcher(deps: {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  readRecords: RecordReader;
  sender: Sender;
  logger: Logger;
  now?: (() => number) | undefined;
  metrics?: Metrics;
}) {
  const { webhooks, deliveries, readRecords, sender, logger, now = Date.now, metrics = NO_METRICS } = deps;
  const endpoints = new Map<string, Endpoint>();
  const stopping = new AbortController();
  let refreshAt = 0;
  let inProgress = 0;
  let onFree = (): void => undefined;
  const countAttempt = metrics.counter('webhook_attempts_total', {
    help: 'Attempts of deliveries to webhooks by this server, by result',
    labels: ['result'],
  });
  metrics.gauge('webhook_attempts_in_progress', { help: 'Attempts of deliveries in progress' }, () => inProgress);

  function endpointOf(webhookId: string): Endpoint {
    const known = endpoints.get(webhookId) ?? new Endpoint();
    endpoints.set(webhookId, known);
    return known;
  }

  /**
   * Reads which endpoints have work, because other servers add to it, and forgets the idle ones.
   */
  async function refresh(): Promise<void> {
    if (now() < refreshAt) return;
    const waiting = new Set((await deliveries.waitingWebhooks()).map(String));
    for (const [id, endpoint] of endpoints) {
      if (!waiting.has(id) && endpoint.busy.size === 0) endpoints.delete(id);
    }
    for (const id of waiting) endpointOf(id).lookBy(now() + LOOK_EVERY_MS);
    refreshAt = now() + REFRESH_MS;
  }

  /** Begins the attempts of an endpoint that are due; resolves with their number. */
  async function look(id: string, endpoint: Endpoint): Promise<number> {
    const limit = Math.min(endpoint.free(now()), MAX_AT_ONCE - inProgress);
    if (limit <= 0 || !endpoint.isDue(now())) return 0;
    const postpone = endpoint.beginLook();
    const webhookId = new mongo.UUID(id);
    const busy = [...endpoint.busy.keys()].map((record) => new mongo.UUID(record));
    const due = await deliveries.due(webhookId, { now: now(), limit, busy });
    if (due.length === 0) {
      const next = await deliveries.nextDue(webhookId);
      // Due but behind an attempt in progress: its end wakes the endpoint.
      postpone(Math.max(next ?? Number.POSITIVE_INFINITY, now() + BLOCKED_MS));
      return 0;
    }
    const webhook = await webhooks.find(webhookId);
    if (!webhook || webhook.disabled) {
      await deliveries.giveUp(webhookId);
      return 0;
    }
    const records = await readRecords(due);
    for (const delivery of due) {
      const body = bodyOf(delivery, webhook, records.get(delivery.recordId.toHexString()));
      if (body === undefined) await deliveries.drop(delivery);
      else begin(endpoint, attempt(webhook, endpoint, delivery, body), delivery.recordId);
    }
    return due.length;
  }

  function begin(endpoint: Endpoint, work: Promise<void>, recordId: RecordId): void {
    const record = recordId.toHexString();
    inProgress += 1;
    const settled = work
      // The delivery still waits; it is attempted again.
      .catch((error) => logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'a delivery failed'))
      .finally(() => {
        inProgress -= 1;
        endpoint.busy.delete(record);
        endpoint.wake();
        onFree();
      });
    endpoint.busy.set(record, settled);
  }

  async function attempt(
    webhook: WebhookDocument,
    endpoint: Endpoint,
    delivery: DeliveryDocument,
    body: string,
  ): Promise<void> {
    const at = new Date(now());
    const result = await sender.send(messageOf(webhook, delivery, body, at), stopping.signal);
    if (stopping.signal.aborted) return;
    countAttempt({ result: result.isSuccess ? 'delivered' : 'failed' });
    const { isSuccess, retryAfterMs, ...shown } = result;
    const isGone = result.status === GONE;
    const pause = isSuccess || isGone ? undefined : pauseAfter(delivery.attempts + 1, retryAfterMs);
    const nextAt = pause === undefined ? undefined : now() + pause;
    await deliveries.settle(delivery, { attempt: { at, ...shown }, isSuccess, nextAt }, now());
    endpoint.note(isSuccess, now());
    await noteHealth(webhook, result, isGone);
  }

  /** Keeps since when an endpoint fails, and disables one that is gone or failed too long. */
  async function noteHealth(webhook: WebhookDocument, { isSuccess }: SendResult, isGone: boolean): Promise<void> {
    if (isSuccess) return webhooks.noteSuccess(webhook);
    const isDisabled = await webhooks.noteFailure(webhook, isGone, now());
    if (isDisabled) await deliveries.giveUp(webhook._id);
  }

  return {
    /** Tells of new deliveries of these webhooks, so that they are attempted at once. */
    notify(webhookIds: readonly RecordId[]): void {
      for (const id of webhookIds) endpointOf(id.toHexString()).wake();
    },

    /** Calls back when an attempt ends. There is one callback at a time. */
    onceFree(callback: () => void): void {
      onFree = callback;
    },

    /** Begins all attempts that are due; resolves with their number. */
    async step(): Promise<number> {
      await refresh();
      let begun = 0;
      for (const [id, endpoint] of endpoints) begun += await look(id, endpoint);
      return begun;
    },

    /** Aborts the attempts in progress. Their deliveries still wait. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([...endpoints.values()].flatMap(({ busy }) => [...busy.values()]));
    },
  };
}

/** The message of an attempt. */
export function messageOf(webhook: WebhookDocument, { _id }: Pick<DeliveryDocument, '_id'>, body: string, at: Date) {
  const [id = ''] = _id.split(':');
  const secrets = webhook.secrets.filter(({ until }) => !until || until > at).map(({ secret }) => secret);
  const timestamp = Math.floor(at.getTime() / 1_000);
  return {
    url: webhook.url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'user-collection-service',
      ...signedHeaders({ id, timestamp, body }, secrets),
    },
    body,
  };
}
