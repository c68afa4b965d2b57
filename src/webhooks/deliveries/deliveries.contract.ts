import { z } from 'zod';
import { type Endpoints, jsonBody } from '../../api/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../../api/validation.ts';
import { EVENT_TYPES } from '../../users/outbox/outbox.ts';
import { ScopeParameter } from '../../users/query/query-parameters.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, RecordId } from '../../users/users.contract.ts';
import { attemptFields, Ok, WebhookPath, WebhookScope, webhookDefaults } from '../webhooks.contract.ts';
import { DELIVERY_STATES } from '../webhooks.model.ts';

const DELIVERY_ID = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57:01924c9e-6a01-7d02-8c3b-0f1e2d3c4b5a';

const Attempt = z.strictObject({ at: Timestamp, ...attemptFields }).meta({ id: 'DeliveryAttempt' });

const deliveryFields = {
  id: z.string().meta({ example: DELIVERY_ID }),
  eventId: RecordId,
  type: z.enum(EVENT_TYPES),
  recordId: RecordId,
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
      .strictObject({ url: z.string(), headers: z.record(z.string(), z.string()), body: JsonObject })
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
      limit: WholeNumber(1)
        .transform((limit) => Math.min(limit, MAX_LIMIT))
        .default(DEFAULT_LIMIT)
        .meta({ description: `At most ${MAX_LIMIT}; default ${DEFAULT_LIMIT}`, example: 50 }),
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
