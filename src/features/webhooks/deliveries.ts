import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, UserId } from '../../core/api/parameters.ts';
import { NotFound } from '../../platform/core/errors.ts';
import { pageOf } from '../../platform/http/cursors.ts';
import { component, JsonObject, Ok, PageLimit, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { EVENT_TYPES } from '../outbox/outbox.ts';
import { buildMessage } from './attempts.ts';
import type { DeliveryStore } from './deliveries.model.ts';
import { shownUrl } from './formats.ts';
import { buildBody, type DeliveryRecords, type ReadForm } from './payload.ts';
import { DELIVERY_STATES, type DeliveryDocument, type WebhookStore } from './webhooks.model.ts';
import { attemptFields, WebhookPath, webhookDefaults } from './webhooks.routes.ts';
import { findWebhook } from './webhooks.service.ts';

const DELIVERY_ID = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57:01924c9e-6a01-7d02-8c3b-0f1e2d3c4b5a';

const Attempt = z.strictObject({ at: Timestamp, ...attemptFields }).meta({ id: 'DeliveryAttempt' });

const deliveryFields = {
  id: z.string().meta({ example: DELIVERY_ID }),
  eventId: UserId,
  type: z.enum(EVENT_TYPES),
  recordId: UserId,
  revision: z.int().meta({ example: 3 }),
  changed: z
    .array(z.string())
    .optional()
    .meta({ example: ['data.name'] }),
  at: Timestamp,
  state: z.enum(DELIVERY_STATES),
  nextAt: Timestamp.optional(),
  attempts: z.array(Attempt),
};
const Delivery = z.strictObject(deliveryFields).meta({ id: 'Delivery' });
const DeliveryDetails = component('DeliveryDetails', {
  ...deliveryFields,
  request: z
    .strictObject({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.union([JsonObject, z.string()]).meta({ description: 'A text in the format `text`' }),
    })
    .optional()
    .meta({ description: 'What an attempt would send now. Absent when the record or the webhook is gone' }),
});

const DeliveryPath = z.object({ id: z.string().meta({ example: DELIVERY_ID }) });

/** Spec 4.11. */
export const deliveryEndpoints = {
  listDeliveries: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks/:id/deliveries',
    load: 'read',
    summary: 'The deliveries of a webhook',
    description: 'A page, newest first. Deliveries are kept for 30 days.',
    params: WebhookPath,
    query: z.strictObject({
      sourceAppId: ScopeParameter,
      state: z.enum(DELIVERY_STATES, code('notOneOf', { values: DELIVERY_STATES.join(', ') })).optional(),
      limit: PageLimit,
      cursor: z
        .string(code('notOneText'))
        .max(80, code('tooLongText'))
        .optional()
        .meta({ description: 'The `next` of the page before', example: DELIVERY_ID }),
    }),
    response: z.strictObject({
      deliveries: z.array(Delivery),
      next: z.string().optional().meta({ example: DELIVERY_ID }),
    }),
  },
  getDelivery: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks/deliveries/:id',
    summary: 'One delivery with its request',
    params: DeliveryPath,
    response: DeliveryDetails,
  },
  replayDelivery: {
    ...webhookDefaults,
    audit: 'webhook.replayed',
    method: 'post',
    path: '/auth/webhooks/deliveries/:id/replay',
    summary: 'Deliver an event again',
    params: DeliveryPath,
    response: Ok,
  },
  replayWebhook: {
    ...webhookDefaults,
    audit: 'webhook.replayed',
    method: 'post',
    path: '/auth/webhooks/:id/replay',
    load: 'long',
    summary: 'Deliver the events since a time again',
    description: 'Events of at most 30 days, and at most 100,000 in one request, the oldest first.',
    params: WebhookPath,
    body: jsonBody(z.strictObject({ since: z.iso.datetime({ offset: true, error: code('notRfc3339') }) })),
    slow: true,
    response: z.strictObject({ replayed: z.int().meta({ example: 12 }) }),
  },
} as const satisfies Endpoints;

const MAX_REPLAYED = 100_000;

/** @param deps.wake starts this server's search for work */
export function deliveryRoutes(deps: {
  webhooks: Pick<WebhookStore, 'find'>;
  deliveries: DeliveryStore;
  readRecords: DeliveryRecords;
  readForm: ReadForm;
  wake: () => void;
  /** The clock of deliveries. */
  now: () => number;
}): Route[] {
  const { webhooks, deliveries, readRecords, readForm, wake, now } = deps;

  /** Resolves with what an attempt would send now; undefined: the record or the webhook is gone. */
  async function nextRequest(delivery: DeliveryDocument) {
    const webhook = await webhooks.find(delivery.appId, delivery.webhookId);
    if (!webhook) return undefined;
    const [record, form] = await Promise.all([readRecords.one(delivery), readForm(webhook)]);
    const body = buildBody(delivery, webhook, record, form);
    if (body === undefined) return undefined;
    const { headers } = buildMessage(webhook, delivery, body, new Date());
    return {
      url: shownUrl(webhook),
      headers,
      body: webhook.format === 'text' ? body : JSON.parse(body),
    };
  }

  return routes(deliveryEndpoints, {
    listDeliveries: async ({ app, query: { limit, cursor, state }, params }) => {
      const { _id: webhookId, appId } = await findWebhook(webhooks, app, params.id);
      const found = await deliveries.page({ appId, webhookId }, { limit: limit + 1, before: cursor, state });
      const { page, last } = pageOf(found, limit);
      return { deliveries: page.map(present), ...(last && { next: last._id }) };
    },

    getDelivery: async ({ app, params }) => {
      const delivery = await deliveries.find(app.id, params.id);
      if (!delivery) throw new NotFound('deliveryNotFound');
      const request = await nextRequest(delivery);
      return { ...present(delivery), ...(request && { request }) };
    },

    replayDelivery: async ({ app, params }) => {
      if (!(await deliveries.replay(app.id, params.id, now()))) throw new NotFound('deliveryNotFound');
      wake();
    },

    replayWebhook: async ({ app, params, body }) => {
      const { _id: webhookId, appId } = await findWebhook(webhooks, app, params.id);
      const since = new Date(body.since);
      const replayed = await deliveries.replaySince({ appId, webhookId }, since, MAX_REPLAYED, now());
      wake();
      return { replayed };
    },
  });
}

function present({ _id, type, recordId, revision, changed, at, state, nextAt, log }: DeliveryDocument) {
  const [eventId = ''] = _id.split(':');
  return {
    id: _id,
    eventId,
    type,
    recordId: recordId.toString(),
    revision,
    ...(changed && { changed }),
    at: at.toISOString(),
    state,
    ...(nextAt && { nextAt: nextAt.toISOString() }),
    attempts: log.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
  };
}
