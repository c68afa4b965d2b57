import { setMaxListeners } from 'node:events';
import { UUID } from 'mongodb';
import pLimit from 'p-limit';
import { Unavailable } from '../../platform/core/errors.ts';
import { FairQueue } from '../../platform/core/fair-queue.ts';
import { type Logger, reasonOf } from '../../platform/core/logger.ts';
import type { DatabaseClock } from '../../platform/database/clock.ts';
import type { RemovalGuard } from '../../platform/database/removal.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { UnreadRecord } from '../record-reads/record-reader.ts';
import { buildMessage, Endpoint, evaluateAnswer } from './attempts.ts';
import type { DeliveryStore } from './deliveries.model.ts';
import { buildBody, type DeliveryRecords, maxBodyBytes, type ReadForm } from './payload.ts';
import type { Sender } from './sender.ts';
import type { DeliveryDocument, WebhookDocument, WebhookOfApp, WebhookStore } from './webhooks.model.ts';

/** The bytes of large bodies in flight, over all webhooks and of one of them. */
export const MAX_BYTES = 32 * 1024 * 1024;
export const MAX_BYTES_OF_ONE = 8 * 1024 * 1024;

/** Creates the queue in which large bodies wait for memory, with a share for each webhook. */
export const createBodyBudget = (): FairQueue => new FairQueue({ slots: MAX_BYTES, perKey: MAX_BYTES_OF_ONE });

/** The attempts in progress over all endpoints, beside the first one of each. */
const MAX_AT_ONCE = 200;
const DUE_LIMIT = 200;
const CONCURRENT_READS = 8;
const REFRESH_MS = 1_000;
/** The interval of reads of an endpoint without a wake: another server may have replayed. */
const READ_EVERY_MS = 5_000;
/** The pause before the next read of an endpoint whose due deliveries wait for earlier ones. */
const BLOCKED_MS = 100;
/** The time in which the deliveries of an endpoint that is off may begin to end. */
const GIVE_UP_WITHIN_MS = 2_000;
/** The time in which a deletion may begin after the read that found no record. */
const DROP_WITHIN_MS = 2_000;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Attempts the waiting deliveries, on one server at a time. An attempt that another server makes at
 * the same time is a repetition with the same id. @param deps.now another clock in tests only
 */
export function createDispatcher(deps: {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  readRecords: DeliveryRecords;
  readForm: ReadForm;
  sender: Sender;
  clock: Pick<DatabaseClock, 'within'>;
  logger: Logger;
  now?: (() => number) | undefined;
  metrics: Metrics;
}) {
  const { webhooks, deliveries, readRecords, readForm, sender, clock, logger, metrics, now = Date.now } = deps;
  const endpoints = new Map<string, Endpoint>();
  const budget = createBodyBudget();
  const stopping = new AbortController();
  // For one listener of each attempt in progress.
  setMaxListeners(0, stopping.signal);
  const limitReads = pLimit(CONCURRENT_READS);
  let refreshAt = 0;
  let inProgress = 0;
  let onWork = (): void => undefined;
  const countAttempt = metrics.counter('webhook_attempts_total', {
    help: 'Attempts of deliveries to webhooks by this server, by result',
    labels: ['result'],
  });
  metrics.gauge('webhook_attempts_in_progress', { help: 'Attempts of deliveries in progress' }, () => inProgress);

  function endpointState(webhookId: string): Endpoint {
    const known = endpoints.get(webhookId) ?? new Endpoint();
    endpoints.set(webhookId, known);
    return known;
  }

  /** Reads which endpoints have work, because other servers add to it; forgets idle ones. */
  async function refresh(): Promise<void> {
    // Also when the clock was set back.
    if (now() < refreshAt && refreshAt - now() <= REFRESH_MS) return;
    const waiting = new Set((await deliveries.waitingWebhooks()).map(String));
    for (const [id, endpoint] of endpoints) {
      if (!waiting.has(id) && endpoint.busy.size === 0) endpoints.delete(id);
    }
    for (const id of waiting) endpointState(id).readBy(now() + READ_EVERY_MS);
    refreshAt = now() + REFRESH_MS;
  }

  async function readWaiting(id: string, endpoint: Endpoint): Promise<void> {
    const postpone = endpoint.beginRead();
    const webhookId = new UUID(id);
    const busy = [...endpoint.busy.keys()].map((record) => new UUID(record));
    endpoint.appId ??= await deliveries.appOf(webhookId);
    const { appId } = endpoint;
    if (!appId) return postpone(Number.POSITIVE_INFINITY);
    const of = { appId, webhookId };
    if (endpoint.isOff) return giveUp(of, endpoint);
    if (busy.length > 0 && now() < endpoint.passesAt) return postpone(endpoint.passesAt);
    const begun = performance.now();
    const due = await deliveries.due(of, { now: now(), limit: DUE_LIMIT, busy });
    if (busy.length > 0) endpoint.notePass(performance.now() - begun, now());
    if (due.length === 0) {
      const next = await deliveries.nextDue(of);
      // Due deliveries wait for an attempt in progress, whose end wakes the endpoint.
      return postpone(Math.max(next ?? Number.POSITIVE_INFINITY, now() + BLOCKED_MS));
    }
    const webhook = await webhooks.find(appId, webhookId);
    if (webhook && !webhook.disabled) return endpoint.fill({ webhook, deliveries: due, readAt: now() });
    endpoint.turnOff();
    await giveUp(of, endpoint);
  }

  /** Ends some deliveries of an endpoint that is off. Other endpoints wait for each call. */
  async function giveUp(of: WebhookOfApp, endpoint: Endpoint): Promise<void> {
    const until = clock.within(GIVE_UP_WITHIN_MS);
    const ended = await deliveries.giveUp(of, () => webhooks.isOff(of.webhookId), until);
    // None is left, or an operator has enabled it.
    if (ended === 0) endpoint.isOff = false;
    else onWork();
  }

  async function advance(id: string, endpoint: Endpoint): Promise<number> {
    // One attempt is always possible, so that slow endpoints delay no other.
    const shared = (): number => Math.max(MAX_AT_ONCE - inProgress, endpoint.busy.size === 0 ? 1 : 0);
    const free = (): number => Math.min(endpoint.free(now()), shared());
    if (free() <= 0) return 0;
    let taken = endpoint.take(free(), now());
    if (!taken && endpoint.isDue(now())) {
      await readWaiting(id, endpoint);
      taken = endpoint.take(Math.max(free(), 0), now());
    }
    if (!taken) return 0;
    const { webhook, deliveries: begun } = taken;
    inProgress += begun.length;
    const reads = Promise.all([readRecords.many(begun), readForm(webhook)]);
    for (const delivery of begun) {
      const recordId = delivery.recordId.toHexString();
      const begin = async ([records, form]: Awaited<typeof reads>): Promise<void> => {
        const record = records.get(recordId);
        if (record && 'bytes' in record) return deliverLarge(endpoint, webhook, delivery, record);
        return deliver(endpoint, webhook, delivery, buildBody(delivery, webhook, record, form));
      };
      const end = (): void => {
        inProgress -= 1;
        endpoint.busy.delete(recordId);
        endpoint.wake();
        onWork();
      };
      const work = reads.then(
        // The delivery still waits and is attempted again.
        (read) => begin(read).catch((error) => logger.warn({ reason: reasonOf(error) }, 'a delivery was not settled')),
        () => undefined, // thrown below
      );
      endpoint.busy.set(recordId, work.finally(end));
    }
    await reads;
    return begun.length;
  }

  /** The guard of the deletion of what waits of a record that is gone. */
  function guardOfGone(delivery: DeliveryDocument): RemovalGuard {
    return async () => {
      const until = await clock.within(DROP_WITHIN_MS)();
      if (await readRecords.one(delivery)) throw new Unavailable();
      return until;
    };
  }

  async function deliver(
    endpoint: Endpoint,
    webhook: WebhookDocument,
    delivery: DeliveryDocument,
    body: string | undefined,
  ): Promise<void> {
    if (body === undefined) return deliveries.drop(delivery, guardOfGone(delivery));
    const at = new Date(now());
    const answer = await sender.send(buildMessage(webhook, delivery, body, at), stopping.signal);
    if (stopping.signal.aborted) return;
    const { isSuccess, retryAfterMs: _, ...shown } = answer;
    const { isGone, isPostponed, nextAt, pausedUntil } = evaluateAnswer(answer, delivery, now());
    const result = { attempt: { at, ...shown }, isSuccess, isCounted: !isPostponed, nextAt };
    await deliveries.settle(delivery, result, now());
    const isOff = !isSuccess && (await webhooks.noteFailure(webhook, isGone, now()));
    if (isSuccess) await webhooks.noteSuccess(webhook);
    countAttempt({ result: isSuccess ? 'delivered' : 'failed' });
    endpoint.note(isSuccess, pausedUntil, now());
    if (isOff) endpoint.turnOff();
  }

  async function deliverLarge(
    endpoint: Endpoint,
    { _id, appId }: WebhookDocument,
    delivery: DeliveryDocument,
    record: UnreadRecord,
  ): Promise<void> {
    const room = budget.join(_id.toHexString(), maxBodyBytes(record));
    try {
      await room.begun;
      if (stopping.signal.aborted) return;
      // It may have changed while the delivery waited.
      const webhook = await webhooks.find(appId, _id);
      if (!webhook || webhook.disabled) return;
      const [current, form] = await Promise.all([readRecords.one(delivery), readForm(webhook)]);
      const body = buildBody(delivery, webhook, current, form);
      room.resize(Buffer.byteLength(body ?? ''));
      await deliver(endpoint, webhook, delivery, body);
    } finally {
      room.end();
    }
  }

  return {
    /** Attempts new deliveries of these webhooks immediately. */
    notify(webhooksWithEvents: readonly Pick<WebhookDocument, '_id' | 'appId'>[]): void {
      for (const { _id, appId } of webhooksWithEvents) {
        const endpoint = endpointState(_id.toHexString());
        endpoint.appId = appId;
        endpoint.wake();
      }
      onWork();
    },

    /** Sets the one listener, which is called whenever there may be work. */
    listen(listener: () => void): void {
      onWork = listener;
    },

    /** Begins all due attempts; resolves with their number. */
    async step(): Promise<number> {
      await refresh();
      const reads = [...endpoints].map(([id, endpoint]) => limitReads(() => advance(id, endpoint)));
      const results = await Promise.allSettled(reads);
      const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      if (failed.length > 0 && failed.length === results.length) throw failed[0];
      // An endpoint whose statement fails delays no other.
      for (const error of failed) logger.warn({ reason: reasonOf(error) }, 'the deliveries of a webhook were not read');
      return results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
    },

    /** Aborts the attempts in progress. Their deliveries still wait. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([...endpoints.values()].flatMap(({ busy }) => [...busy.values()]));
    },
  };
}
