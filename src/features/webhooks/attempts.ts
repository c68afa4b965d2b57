import type { ObjectId } from 'mongodb';
import { formatOf } from './formats.ts';
import { type SendResult, signedHeaders, type WebhookMessage } from './sender.ts';
import type { DeliveryDocument, WebhookDocument } from './webhooks.model.ts';

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
/** The random part of pauses, so that the deliveries of an outage do not all return at once. */
const JITTER = 0.1;
/** The longest pause that `Retry-After` may request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

const GONE = 410;
const TOO_MANY = 429;

/** The time after an event in which a receiver may postpone it; later, each answer is a failure. */
const POSTPONED_WITHIN_MS = 24 * HOUR;
const MIN_POSTPONEMENT_MS = SECOND;

/**
 * What follows from the answer to an attempt. `nextAt`: of this delivery; undefined: it was the
 * last. `pausedUntil`: the receiver wants no attempt of any event before this time.
 */
export function evaluateAnswer(
  { isSuccess, status, retryAfterMs }: SendResult,
  { at, attempts }: DeliveryDocument,
  now: number,
) {
  const isGone = status === GONE;
  const isTooEarly = status === TOO_MANY && retryAfterMs > 0;
  const isPostponed = isTooEarly && now - at.getTime() < POSTPONED_WITHIN_MS;
  const pause = isSuccess || isGone ? undefined : pauseAfter(attempts, isPostponed, retryAfterMs);
  return {
    isGone,
    isPostponed,
    nextAt: pause && now + pause,
    pausedUntil: isTooEarly ? now + retryAfterMs : undefined,
  };
}

/**
 * Returns the pause before the next attempt in milliseconds; undefined after the last one.
 * @param attempts those before the failed one
 */
function pauseAfter(attempts: number, isPostponed: boolean, retryAfterMs: number): number | undefined {
  const wished = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  if (isPostponed) return Math.max(wished, MIN_POSTPONEMENT_MS);
  const pause = RETRY_AFTER_MS[attempts];
  return pause && Math.max(pause * (1 - JITTER + 2 * JITTER * Math.random()), wished);
}

/** Returns the message of an attempt; of a signed format, signed with all current secrets. */
export function buildMessage(
  webhook: WebhookDocument,
  { _id }: Pick<DeliveryDocument, '_id'>,
  body: string,
  at: Date,
): WebhookMessage {
  const { contentType, isSigned, isSecret } = formatOf(webhook);
  const [id = ''] = _id.split(':');
  const secrets = webhook.secrets.filter(({ until }) => !until || until > at).map(({ secret }) => secret);
  const headers = {
    'content-type': contentType,
    'user-agent': 'user-collection-service',
    ...(isSigned && signedHeaders(id, at, body, secrets)),
  };
  return { url: webhook.url, isSecret, headers, body };
}

const OPENS_AFTER = 5;
const PROBE_AFTER_MS = { initial: 5_000, max: 5 * 60_000 };
const READY_FOR_MS = 1_000;
const LONG_PASS_MS = 50;
const PASS_PAUSE = 9;
/** Later attempts may be of deliveries that the receiver did not postpone. */
const MAX_ENDPOINT_PAUSE_MS = 15 * MINUTE;

/**
 * Whether a pause of at most `mostMs` lasts. A longer one is of a clock that was set back since.
 */
const isBefore = (now: number, end: number, mostMs: number): boolean => now < end && end - now <= mostMs;

/** Due deliveries of different records, with the webhook as it was when they were read. */
interface Ready {
  webhook: WebhookDocument;
  deliveries: DeliveryDocument[];
  readAt: number;
}

/**
 * The state of one endpoint: due deliveries, records with an attempt in progress, and a circuit
 * breaker. After {@link OPENS_AFTER} consecutive failures, one delivery at a time is attempted, at
 * growing intervals, until one succeeds.
 */
export class Endpoint {
  /** Known from the first event or delivery on. */
  appId: ObjectId | undefined;
  /** Its waiting deliveries end, also those that are not due. */
  isOff = false;
  /** By record id. */
  readonly busy = new Map<string, Promise<void>>();
  #ready: Ready | undefined;
  #readAt = 0;
  #passesAt = 0;
  #wakes = 0;
  #failures = 0;
  #probeAt = 0;
  #pausedUntil = 0;

  free(now: number): number {
    if (isBefore(now, this.#pausedUntil, MAX_ENDPOINT_PAUSE_MS)) return 0;
    // Until its format is read, an endpoint without an attempt in progress has room for one.
    const atOnce = this.#ready ? formatOf(this.#ready.webhook).atOnce : 1;
    if (this.#failures < OPENS_AFTER) return atOnce - this.busy.size;
    return this.busy.size === 0 && !isBefore(now, this.#probeAt, PROBE_AFTER_MS.max) ? 1 : 0;
  }

  /** Takes at most `limit` of the deliveries that were read; undefined when none is left. */
  take(limit: number, now: number): Ready | undefined {
    const ready = this.#ready;
    if (!ready || ready.deliveries.length === 0 || now - ready.readAt > READY_FOR_MS) return undefined;
    return { ...ready, deliveries: ready.deliveries.splice(0, limit) };
  }

  fill(ready: Ready): void {
    this.#ready = ready;
  }

  /** Drops the deliveries that were read, and ends the pauses, of an endpoint that is off. */
  turnOff(): void {
    this.isOff = true;
    this.#ready = undefined;
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  isDue(now: number): boolean {
    return now >= this.#readAt;
  }

  wake(): void {
    this.#readAt = 0;
    this.#wakes += 1;
  }

  /**
   * The earliest time of the next read that skips the deliveries of busy records. After a long read
   * it is later, so that such reads take at most a tenth of the time.
   */
  get passesAt(): number {
    return this.#passesAt;
  }

  /** Registers the end of such a read. */
  notePass(tookMs: number, now: number): void {
    this.#passesAt = tookMs > LONG_PASS_MS ? now + PASS_PAUSE * tookMs : 0;
  }

  /** Begins a read of due deliveries; the result postpones the next one, unless it was woken. */
  beginRead(): (until: number) => void {
    const wakes = this.#wakes;
    return (until) => {
      if (this.#wakes === wakes) this.#readAt = until;
    };
  }

  /** Sets the latest time of the next read. */
  readBy(time: number): void {
    this.#readAt = Math.min(this.#readAt, time);
  }

  /** Registers the end of an attempt. @param pausedUntil see {@link evaluateAnswer} */
  note(isSuccess: boolean, pausedUntil: number | undefined, now: number): void {
    if (pausedUntil !== undefined) {
      this.#pausedUntil = Math.min(pausedUntil, now + MAX_ENDPOINT_PAUSE_MS);
      this.#ready = undefined;
      return;
    }
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    if (this.#failures < OPENS_AFTER) return;
    const pause = PROBE_AFTER_MS.initial * 2 ** Math.min(this.#failures - OPENS_AFTER, 10);
    this.#probeAt = now + Math.min(pause, PROBE_AFTER_MS.max);
    this.#ready = undefined;
  }
}
