import type { DeliveryStore } from './delivery-store.ts';
import { type Message, type Sender, signedHeaders } from './sender.ts';
import type { DeliveryDocument, WebhookDocument, WebhookStore } from './webhook-store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses before the second and each further attempt, in milliseconds (spec 4.11). */
const RETRY_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Pauses differ by this part, so that the deliveries of an outage do not all come back at once. */
const JITTER = 0.1;
/** The longest pause that a `Retry-After` header may ask for. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * The pause after a failed attempt, in milliseconds; undefined after the last one.
 *
 * @param attempts the attempts so far, including the failed one
 * @param retryAfterMs what the endpoint asked for
 */
function pauseAfter(attempts: number, retryAfterMs: number): number | undefined {
  const pause = RETRY_AFTER_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (1 - JITTER + 2 * JITTER * Math.random()), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** The status by which an endpoint says that it is gone for good. */
const GONE = 410;

/**
 * Creates what makes one attempt: sends the body and stores the result. It resolves with whether
 * the attempt succeeded; undefined when it was aborted.
 */
export function createAttempts(deps: {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  sender: Sender;
  now: () => number;
}) {
  const { webhooks, deliveries, sender, now } = deps;

  /** Keeps since when an endpoint fails, and ends the deliveries of one that is disabled. */
  async function noteHealth(webhook: WebhookDocument, isSuccess: boolean, isGone: boolean): Promise<void> {
    if (isSuccess) return webhooks.noteSuccess(webhook);
    const isDisabled = await webhooks.noteFailure(webhook, isGone, now());
    if (isDisabled) await deliveries.giveUp(webhook._id, () => webhooks.isOff(webhook._id));
  }

  return async (
    webhook: WebhookDocument,
    delivery: DeliveryDocument,
    body: string,
    stop: AbortSignal,
  ): Promise<boolean | undefined> => {
    const at = new Date(now());
    const { isSuccess, retryAfterMs, ...shown } = await sender.send(signedMessage(webhook, delivery, body, at), stop);
    if (stop.aborted) return undefined;
    const isGone = shown.status === GONE;
    const pause = isSuccess || isGone ? undefined : pauseAfter(delivery.attempts + 1, retryAfterMs);
    const nextAt = pause === undefined ? undefined : now() + pause;
    await deliveries.settle(delivery, { attempt: { at, ...shown }, isSuccess, nextAt }, now());
    await noteHealth(webhook, isSuccess, isGone);
    return isSuccess;
  };
}

/** The message of an attempt. */
export function signedMessage(
  webhook: WebhookDocument,
  { _id }: Pick<DeliveryDocument, '_id'>,
  body: string,
  at: Date,
): Message {
  const [id = ''] = _id.split(':');
  const secrets = webhook.secrets.filter(({ until }) => !until || until > at).map(({ secret }) => secret);
  const timestamp = Math.floor(at.getTime() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'user-collection-service',
    ...signedHeaders({ id, timestamp, body }, secrets),
  };
  return { url: webhook.url, headers, body };
}

/** The attempts that one endpoint gets at the same time. */
const MAX_AT_ONCE = 20;
/** The failures in a row after which an endpoint gets single attempts only. */
const OPENS_AFTER = 5;
const PROBE_AFTER_MS = { initial: 5_000, max: 5 * 60_000 };
/** Deliveries that were read from the database are forgotten after this time. */
const READY_FOR_MS = 1_000;

/**
 * Deliveries that are due, of different records, with the webhook as it was when they were read.
 */
interface Ready {
  webhook: WebhookDocument;
  deliveries: DeliveryDocument[];
  readAt: number;
}

/**
 * What the dispatcher knows of one endpoint: deliveries that are due, the records with an attempt
 * in progress, and its circuit breaker. After {@link OPENS_AFTER} failures in a row the breaker
 * opens: one delivery at a time is attempted, at growing intervals, until one succeeds.
 */
export class Endpoint {
  /** The records with an attempt in progress, by id. */
  readonly busy = new Map<string, Promise<void>>();
  #ready: Ready | undefined;
  #lookAt = 0;
  #wakes = 0;
  #failures = 0;
  #probeAt = 0;

  /** The number of attempts that may begin now. */
  free(now: number): number {
    if (this.#failures < OPENS_AFTER) return MAX_AT_ONCE - this.busy.size;
    return this.busy.size === 0 && now >= this.#probeAt ? 1 : 0;
  }

  /** Takes at most `limit` of the deliveries that were read; undefined when none is left. */
  take(limit: number, now: number): Ready | undefined {
    const ready = this.#ready;
    if (!ready || ready.deliveries.length === 0 || now - ready.readAt > READY_FOR_MS) return undefined;
    return { ...ready, deliveries: ready.deliveries.splice(0, limit) };
  }

  /** Keeps deliveries that were read. */
  fill(ready: Ready): void {
    this.#ready = ready;
  }

  /** Whether deliveries may be due. */
  isDue(now: number): boolean {
    return now >= this.#lookAt;
  }

  /** Says that deliveries may be due now. */
  wake(): void {
    this.#lookAt = 0;
    this.#wakes += 1;
  }

  /** Begins a look for due deliveries; the result postpones the next one, unless it was woken. */
  beginLook(): (until: number) => void {
    const wakes = this.#wakes;
    return (until) => {
      if (this.#wakes === wakes) this.#lookAt = until;
    };
  }

  /** Looks again at this time at the latest. */
  lookBy(time: number): void {
    this.#lookAt = Math.min(this.#lookAt, time);
  }

  /** Notes the result of an attempt. */
  note(isSuccess: boolean, now: number): void {
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    if (this.#failures < OPENS_AFTER) return;
    const pause = PROBE_AFTER_MS.initial * 2 ** Math.min(this.#failures - OPENS_AFTER, 10);
    this.#probeAt = now + Math.min(pause, PROBE_AFTER_MS.max);
    this.#ready = undefined;
  }
}
