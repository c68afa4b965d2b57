import { pauseAfter } from '../sending/retry-schedule.ts';
import type { Message, Sender } from '../sending/sender.ts';
import { signedHeaders } from '../sending/signature.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { DeliveryDocument, WebhookDocument } from '../webhooks.model.ts';
import type { DeliveryStore } from './delivery-store.ts';

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
    const { isSuccess, retryAfterMs, ...shown } = await sender.send(messageOf(webhook, delivery, body, at), stop);
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
export function messageOf(
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
