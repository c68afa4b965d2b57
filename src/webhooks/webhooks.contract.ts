import { z } from 'zod';
import { type Endpoints, jsonBody } from '../api/endpoint.ts';
import { JsonObject, Timestamp, WholeNumber } from '../api/validation.ts';
import { SourceAppId } from '../apps/apps.contract.ts';
import { EVENT_TYPES } from '../users/outbox/outbox.ts';
import { ScopeParameter } from '../users/query/query-parameters.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, RecordId } from '../users/users.contract.ts';
import { isSecret, SECRET_FORMAT } from './sending/signature.ts';
import { DELIVERY_STATES } from './webhooks.model.ts';

const MAX_URL = 2_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const DELIVERY_ID = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57:01924c9e-6a01-7d02-8c3b-0f1e2d3c4b5a';

const Url = z
  .string('must be a text')
  .max(MAX_URL, `must have at most ${MAX_URL} characters`)
  .refine(isPlainUrl, 'must be an absolute http or https URL without user, password and fragment')
  .meta({ example: 'https://example.com/hooks' });
const EventTypes = z
  .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`), 'must be a list')
  .min(1, 'must name at least one event')
  .max(EVENT_TYPES.length, 'must name each event once')
  .refine((list) => new Set(list).size === list.length, 'must name each event once')
  .meta({ example: ['user.created', 'user.updated'] });
const Secret = z.string('must be a text').refine(isSecret, `must be ${SECRET_FORMAT}`).meta({ example: SECRET });

const Webhook = z
  .strictObject({
    id: RecordId,
    sourceAppId: SourceAppId,
    url: Url,
    events: EventTypes,
    state: z.enum(['active', 'disabled']),
    disabledReason: z.enum(['operator', 'gone', 'failing']).optional(),
    disabledAt: Timestamp.optional(),
    failingSince: Timestamp.optional(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Webhook' });

const attemptFields = {
  ms: z.int().meta({ example: 41 }),
  status: z.int().optional().meta({ example: 200 }),
  error: z.string().optional().meta({ example: 'no answer within 15 s' }),
  response: z.string().optional().meta({ example: 'ok' }),
};
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

const WebhookPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });
const DeliveryPath = z.object({ id: z.string().meta({ example: DELIVERY_ID }) });
const Scope = z.strictObject({ sourceAppId: ScopeParameter });
const Ok = z.strictObject({ ok: z.literal(true) });

const common = { auth: 'session or key', scope: 'webhooks', tag: 'Webhooks' } as const;

/** The endpoints of webhooks (spec 4.11). */
export const webhookEndpoints = {
  listWebhooks: {
    ...common,
    method: 'get',
    path: '/auth/webhooks',
    summary: 'The webhooks of an app',
    query: Scope,
    response: z.strictObject({ webhooks: z.array(Webhook) }),
    errors: [404],
  },
  createWebhook: {
    ...common,
    audit: 'webhook.created',
    method: 'post',
    path: '/auth/webhooks',
    summary: 'Create a webhook',
    description:
      'The address gets the events of the app, signed by Standard Webhooks. The secret is shown once. An app has at most 20 webhooks.',
    query: Scope,
    body: jsonBody(z.strictObject({ url: Url, events: EventTypes, secret: Secret.optional() }), 'Invalid webhook'),
    response: z.strictObject({ ...Webhook.shape, secret: Secret }),
    errors: [404, 409],
  },
  changeWebhook: {
    ...common,
    audit: 'webhook.changed',
    method: 'patch',
    path: '/auth/webhooks/:id',
    summary: 'Change a webhook',
    description: '`enabled: true` also ends a disabling by failures or by 410.',
    params: WebhookPath,
    query: Scope,
    body: jsonBody(
      z.strictObject({
        url: Url.optional(),
        events: EventTypes.optional(),
        enabled: z.boolean('must be true or false').optional(),
      }),
      'Invalid webhook',
    ),
    response: Webhook,
    errors: [404],
  },
  deleteWebhook: {
    ...common,
    audit: 'webhook.deleted',
    method: 'delete',
    path: '/auth/webhooks/:id',
    summary: 'Delete a webhook',
    params: WebhookPath,
    query: Scope,
    slow: true,
    response: Ok,
    errors: [404],
  },
  testWebhook: {
    ...common,
    audit: 'webhook.tested',
    method: 'post',
    path: '/auth/webhooks/:id/test',
    summary: 'Send a test event',
    description: 'Sends one event of the type `webhook.test` with made-up values, and tells the result.',
    params: WebhookPath,
    query: Scope,
    slow: true,
    response: z.strictObject({ ok: z.boolean(), ...attemptFields }),
    errors: [404],
  },
  rotateWebhookSecret: {
    ...common,
    audit: 'webhook.secret.replaced',
    method: 'post',
    path: '/auth/webhooks/:id/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description: 'The old secret signs for 24 hours more, beside the new one.',
    params: WebhookPath,
    query: Scope,
    response: z.strictObject({ secret: Secret }),
    errors: [404],
  },
  listDeliveries: {
    ...common,
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
    ...common,
    method: 'get',
    path: '/auth/webhooks/deliveries/:id',
    summary: 'One delivery with its request',
    params: DeliveryPath,
    query: Scope,
    response: DeliveryDetails,
    errors: [404],
  },
  replayDelivery: {
    ...common,
    audit: 'webhook.replayed',
    method: 'post',
    path: '/auth/webhooks/deliveries/:id/replay',
    summary: 'Deliver an event again',
    params: DeliveryPath,
    query: Scope,
    response: Ok,
    errors: [404],
  },
  replayWebhook: {
    ...common,
    audit: 'webhook.replayed',
    method: 'post',
    path: '/auth/webhooks/:id/replay',
    summary: 'Deliver the events since a time again',
    description: 'Events of at most 30 days, and at most 100,000 in one request, the oldest first.',
    params: WebhookPath,
    query: Scope,
    body: jsonBody(z.strictObject({ since: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time' }) })),
    slow: true,
    response: z.strictObject({ replayed: z.int().meta({ example: 12 }) }),
    errors: [404],
  },
} as const satisfies Endpoints;

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === '';
}
