import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../api/endpoint.ts';
import { JsonObject, PageLimit, Timestamp } from '../api/validation.ts';
import type { AppScope, ScopedApp } from '../apps/app-scope.ts';
import { NotFound } from '../core/errors.ts';
import { EVENT_TYPES } from '../records/outbox.ts';
import { ScopeParameter } from '../search/parameters.ts';
import { UserId } from '../search/users.endpoints.ts';
import { messageOf } from './attempts.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { formatOf, shownUrl } from './formats.ts';
import { buildBody, type DeliveryRecords, type ReadForm } from './payload.ts';
import { DELIVERY_STATES, type DeliveryDocument, type DeliveryState, type WebhookStore } from './webhook-store.ts';
import { attemptFields, Ok, WebhookPath, WebhookScope, webhookDefaults } from './webhooks.endpoints.ts';
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
const DeliveryDetails = z
  .strictObject({
    ...deliveryFields,
    request: z
      .strictObject({
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.union([JsonObject, z.string()]).meta({ description: 'A text in the format `text`' }),
      })
      .optional()
      .meta({ description: 'What an attempt would send now. Absent when the record or the webhook is gone' }),
  })
  .meta({ id: 'DeliveryDetails' });

const DeliveryPath = z.object({ id: z.string().meta({ example: DELIVERY_ID }) });

/** The endpoints of deliveries (spec 4.11). */
export const deliveryEndpoints = {
  listDeliveries: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks/:id/deliveries',
    summary: 'The deliveries of a webhook',
    description: 'A page, newest first. Deliveries are kept for 30 days.',
    params: WebhookPath,
    query: z.strictObject({
      sourceAppId: ScopeParameter,
      state: z.enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(', ')}`).optional(),
      limit: PageLimit.meta({ description: 'At most 200; default 50', example: 50 }),
      cursor: z
        .string('must be one text')
        .max(80, 'is too long')
        .optional()
        .meta({ description: 'The `next` of the page before', example: DELIVERY_ID }),
    }),
    response: z.strictObject({
      deliveries: z.array(Delivery),
      next: z.string().optional().meta({ example: DELIVERY_ID }),
    }),
    errors: [404],
  },
  getDelivery: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks/deliveries/:id',
    load: 'light',
    summary: 'One delivery with its request',
    params: DeliveryPath,
    query: WebhookScope,
    response: DeliveryDetails,
    errors: [404],
  },
  replayDelivery: {
    ...webhookDefaults,
    audit: 'webhook.replayed',
    method: 'post',
    path: '/auth/webhooks/deliveries/:id/replay',
    load: 'light',
    summary: 'Deliver an event again',
    params: DeliveryPath,
    query: WebhookScope,
    response: Ok,
    errors: [404],
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
    query: WebhookScope,
    body: jsonBody(z.strictObject({ since: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time' }) })),
    slow: true,
    response: z.strictObject({ replayed: z.int().meta({ example: 12 }) }),
    errors: [404],
  },
} as const satisfies Endpoints;

const MAX_REPLAYED = 100_000;

/** `request`: what would be sent now; undefined: the record or the webhook is gone. */
interface DetailedDelivery {
  delivery: DeliveryDocument;
  request: { url: string; headers: Record<string, string>; body: Record<string, unknown> | string } | undefined;
}

type DeliveryService = ReturnType<typeof createDeliveryService>;

/** The operations on deliveries (spec 4.11). */
export function createDeliveryService(deps: {
  webhooks: Pick<WebhookStore, 'ofApp'>;
  deliveries: DeliveryStore;
  readRecords: DeliveryRecords;
  readForm: ReadForm;
  /** Starts this server's search for work. */
  wake: () => void;
}) {
  const { webhooks, deliveries, readRecords, readForm, wake } = deps;
  return {
    /** Resolves with a page of deliveries, newest first. @throws {NotFound} */
    async page(
      app: ScopedApp,
      id: string,
      page: { limit: number; before?: string | undefined; state?: DeliveryState | undefined },
    ): Promise<DeliveryDocument[]> {
      const { _id: webhookId } = await findWebhook(webhooks, app, id);
      return deliveries.page({ appId: app.id, webhookId }, page);
    },

    /** Resolves with a delivery and what an attempt would send now. @throws {NotFound} */
    async get(app: ScopedApp, id: string): Promise<DetailedDelivery> {
      const delivery = await deliveries.find(app.id, id);
      if (!delivery) throw notFound();
      const webhook = await webhooks.ofApp(app.id, delivery.webhookId);
      if (!webhook) return { delivery, request: undefined };
      const [record, form] = await Promise.all([readRecords.one(delivery), readForm(webhook)]);
      const body = buildBody(delivery, webhook, record, form);
      if (body === undefined) return { delivery, request: undefined };
      const { headers } = messageOf(webhook, delivery, body, new Date());
      const shown = formatOf(webhook).format === 'text' ? body : JSON.parse(body);
      return { delivery, request: { url: shownUrl(webhook), headers, body: shown } };
    },

    /** Attempts a delivery again soon. @throws {NotFound} */
    async replay(app: ScopedApp, id: string): Promise<void> {
      if (!(await deliveries.replay(app.id, id, Date.now()))) throw notFound();
      wake();
    },

    /** Replays events since a time, oldest first; resolves with their number. @throws {NotFound} */
    async replaySince(app: ScopedApp, id: string, since: Date): Promise<number> {
      const { _id: webhookId } = await findWebhook(webhooks, app, id);
      const replayed = await deliveries.replaySince({ appId: app.id, webhookId }, since, MAX_REPLAYED, Date.now());
      wake();
      return replayed;
    },
  };
}

function notFound(): NotFound {
  return new NotFound('Delivery not found');
}

export const deliveryRoutes = (deliveries: DeliveryService, scope: AppScope): Route[] =>
  routes(deliveryEndpoints, {
    listDeliveries: async ({ principal, query: { sourceAppId, limit, cursor, state }, params }) => {
      const app = await scope(principal, sourceAppId);
      const found = await deliveries.page(app, params.id, { limit: limit + 1, before: cursor, state });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { deliveries: page.map(present), ...(last && { next: last._id }) };
    },

    getDelivery: async ({ principal, query, params }) => {
      const app = await scope(principal, query.sourceAppId);
      const { delivery, request } = await deliveries.get(app, params.id);
      return {
        ...present(delivery),
        ...(request && { request }),
      };
    },

    replayDelivery: async ({ principal, query, params }) => {
      await deliveries.replay(await scope(principal, query.sourceAppId), params.id);
      return { ok: true as const };
    },

    replayWebhook: async ({ principal, query, params, body }) => {
      const app = await scope(principal, query.sourceAppId);
      return { replayed: await deliveries.replaySince(app, params.id, new Date(body.since)) };
    },
  });

function present({ _id, type, recordId, revision, changed, at, state, nextAt, log }: DeliveryDocument) {
  const [eventId = ''] = _id.split(':');
  return {
    ...{ id: _id, eventId, type, recordId: recordId.toString(), revision, ...(changed && { changed }) },
    ...{ at: at.toISOString(), state, ...(nextAt && { nextAt: nextAt.toISOString() }) },
    attempts: log.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
  };
}
