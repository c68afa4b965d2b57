import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter, SourceAppId, UserId } from '../../core/api/parameters.ts';
import type { ScopedApp } from '../../core/api/principal.ts';
import { FieldConditions } from '../../core/fields/definition.ts';
import { Masked } from '../../platform/core/value-changes.ts';
import { component, JsonObject, Ok, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import { EVENT_TYPES } from '../outbox/outbox.ts';
import { ConditionProblem, conditionsText, RecordConditions } from '../record-conditions/stored-conditions.ts';
import { shownUrl, WEBHOOK_FORMATS } from './formats.ts';
import { isSecret, SECRET_PREFIX } from './sender.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import type { WebhookService } from './webhooks.service.ts';

const MAX_URL = 2_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const Url = z
  .string(code('notText'))
  .max(MAX_URL, code('tooLong', { max: MAX_URL }))
  .refine(isPlainUrl, code('notPlainUrl'))
  .meta({ example: 'https://example.com/hooks' });
const EventTypes = z
  .array(z.enum(EVENT_TYPES, code('notOneOf', { values: EVENT_TYPES.join(', ') })), code('notListOfValues'))
  .min(1, code('noEvent'))
  .max(EVENT_TYPES.length, code('eventTwice'))
  .refine((list) => new Set(list).size === list.length, code('eventTwice'))
  .meta({ example: ['user.created', 'user.updated'] });
const Format = z
  .enum(WEBHOOK_FORMATS, code('notOneOf', { values: WEBHOOK_FORMATS.join(', ') }))
  .meta({ description: 'All but `standard` send a message for people', example: 'standard' });
const Secret = z
  .string(code('notText'))
  .refine(isSecret, code('notSecret', { prefix: SECRET_PREFIX }))
  .meta({ example: SECRET });

const If = RecordConditions.nullish().meta({
  description: 'Conditions on the record, without which it gets no event of a change; null: none',
  example: null,
});

const Webhook = component('Webhook', {
  id: UserId,
  sourceAppId: SourceAppId,
  url: Url.meta({ description: 'Without its path when the format is another one than `standard`' }),
  events: EventTypes,
  format: Format,
  if: FieldConditions.optional().meta({ description: 'Conditions on the record; absent without any' }),
  problem: ConditionProblem.optional(),
  state: z.enum(['active', 'disabled']),
  disabledReason: z.enum(['operator', 'gone', 'failing']).optional(),
  disabledAt: Timestamp.optional(),
  failingSince: Timestamp.optional(),
  createdAt: Timestamp,
});

export const attemptFields = {
  ms: z.int().meta({ example: 41 }),
  status: z.int().optional().meta({ example: 200 }),
  error: z.string().optional().meta({ example: 'no answer within 15 s' }),
  response: z.string().optional().meta({ example: 'ok' }),
};
export const WebhookPath = z.object({ id: z.string().meta({ example: '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57' }) });

export const webhookDefaults = {
  auth: 'session or key',
  scope: 'webhooks',
  scoped: true,
  load: 'light',
  tag: 'Webhooks',
  query: z.strictObject({ sourceAppId: ScopeParameter }),
} as const;

/** Spec 4.11. */
export const webhookEndpoints = {
  listWebhooks: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks',
    summary: 'The webhooks of an app',
    response: z.strictObject({ webhooks: z.array(Webhook) }),
  },
  createWebhook: {
    ...webhookDefaults,
    audit: 'webhook.created',
    method: 'post',
    path: '/auth/webhooks',
    summary: 'Create a webhook',
    description:
      'The address gets the events of the app, signed by Standard Webhooks. The secret is shown once. An app has at most 20 webhooks.',
    body: jsonBody(
      z.strictObject({
        url: Url,
        events: EventTypes,
        format: Format.optional(),
        if: If,
        secret: Secret.optional(),
      }),
      'invalidWebhook',
    ),
    response: z.strictObject({ ...Webhook.shape, secret: Secret }),
    errors: [409],
  },
  getWebhookSample: {
    ...webhookDefaults,
    method: 'get',
    path: '/auth/webhooks/sample',
    summary: 'An example of an event',
    description: 'As the standard format sends it, with example values of the newest schema.',
    query: webhookDefaults.query.extend({
      event: z.enum(EVENT_TYPES, code('notOneOf', { values: EVENT_TYPES.join(', ') })).default('user.created'),
    }),
    response: z.strictObject({
      type: z.enum(EVENT_TYPES),
      timestamp: Timestamp,
      data: z.strictObject({
        id: UserId,
        sourceAppId: SourceAppId,
        email: z.string().optional().meta({ example: 'ada@example.com' }),
        data: JsonObject.optional(),
        revision: z.int().meta({ example: 1 }),
        changed: z
          .array(z.string())
          .optional()
          .meta({ example: ['data.name'] }),
      }),
    }),
  },
  changeWebhook: {
    ...webhookDefaults,
    audit: 'webhook.changed',
    method: 'patch',
    path: '/auth/webhooks/:id',
    summary: 'Change a webhook',
    description: '`enabled: true` also ends a disabling by failures or by 410.',
    params: WebhookPath,
    body: jsonBody(
      z.strictObject({
        url: Url.optional(),
        events: EventTypes.optional(),
        format: Format.optional(),
        if: If,
        enabled: z.boolean(code('notBoolean')).optional(),
      }),
      'invalidWebhook',
    ),
    response: Webhook,
  },
  deleteWebhook: {
    ...webhookDefaults,
    audit: 'webhook.deleted',
    method: 'delete',
    path: '/auth/webhooks/:id',
    load: 'long',
    summary: 'Delete a webhook',
    params: WebhookPath,
    slow: true,
    response: Ok,
  },
  testWebhook: {
    ...webhookDefaults,
    audit: 'webhook.tested',
    method: 'post',
    path: '/auth/webhooks/:id/test',
    load: 'long',
    summary: 'Send a test event',
    description: 'Sends one event of the type `webhook.test` with made-up values, and tells the result.',
    params: WebhookPath,
    slow: true,
    response: z.strictObject({ ok: z.boolean(), ...attemptFields }),
  },
  rotateWebhookSecret: {
    ...webhookDefaults,
    audit: 'webhook.secret.replaced',
    method: 'post',
    path: '/auth/webhooks/:id/rotate-secret',
    summary: 'Replace the secret of a webhook',
    description: 'The old secret signs for 24 hours more, beside the new one.',
    params: WebhookPath,
    response: z.strictObject({ secret: Secret }),
  },
} as const satisfies Endpoints;

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && hash === '';
}

export const webhookRoutes = (webhooks: WebhookService): Route[] => {
  async function presentOne(app: ScopedApp, webhook: WebhookDocument): Promise<z.input<typeof Webhook>> {
    const [shown] = await webhooks.shown(app, [webhook]);
    return present(shown ?? { webhook, conditions: undefined });
  }

  return routes(webhookEndpoints, {
    listWebhooks: async ({ app }) => {
      const list = await webhooks.list(app);
      return { webhooks: list.map(present) };
    },

    createWebhook: async ({ app, body, until, audit }) => {
      const { webhook, secret } = await webhooks.create(app, body, until);
      audit({ target: webhook._id.toString(), changed: { after: compared(webhook) } });
      return { ...(await presentOne(app, webhook)), secret };
    },

    getWebhookSample: async ({ app, query: { event } }) => webhooks.sample(app, event),

    changeWebhook: async ({ app, params, body, until, audit }) => {
      const { before, after } = await webhooks.change(app, params.id, body, until);
      audit({ changed: { before: compared(before), after: compared(after) } });
      return presentOne(app, after);
    },

    deleteWebhook: ({ app, params, until }) => webhooks.remove(app, params.id, until),

    testWebhook: async ({ app, params }) => {
      const { isSuccess, retryAfterMs: _, ...result } = await webhooks.test(app, params.id);
      return { ok: isSuccess, ...result };
    },

    rotateWebhookSecret: async ({ app, params, until }) => ({
      secret: await webhooks.rotateSecret(app, params.id, until),
    }),
  });
};

/** Returns what the audit log compares. A URL may contain a token. */
function compared({ url, events, format, if: conditions, disabled }: WebhookDocument) {
  const text = conditions && { if: conditionsText(conditions) };
  return { url: new Masked(url), events, format, ...text, enabled: disabled === undefined };
}

function present({ webhook, conditions }: Awaited<ReturnType<WebhookService['list']>>[number]) {
  const { _id, sourceAppId, events, format, disabled, failingSince, createdAt } = webhook;
  return {
    id: _id.toString(),
    sourceAppId,
    url: shownUrl(webhook),
    events,
    format,
    ...conditions,
    state: disabled ? ('disabled' as const) : ('active' as const),
    ...(disabled && { disabledReason: disabled.reason, disabledAt: disabled.at.toISOString() }),
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    createdAt: createdAt.toISOString(),
  };
}
