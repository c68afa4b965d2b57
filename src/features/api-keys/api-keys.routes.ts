import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { ScopeParameter } from '../../core/api/parameters.ts';
import { SCOPES } from '../../core/api/principal.ts';
import { component, Id, Ok, SentTime, Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { ApiKeyDocument, ApiKeyService } from './api-keys.service.ts';
import { canonicalNetwork } from './key-text.ts';

const MAX_NAME_LENGTH = 100;
const MAX_NETWORKS = 20;

const Name = z
  .string(code('notText'))
  .trim()
  .min(1, code('empty'))
  .max(MAX_NAME_LENGTH, code('tooLong', { max: MAX_NAME_LENGTH }))
  .meta({ example: 'Nightly export' });
const ScopeName = z.enum(SCOPES, code('notOneOf', { values: SCOPES.join(', ') })).meta({ example: 'export' });

const Network = z.string(code('notText')).transform((text, context) => {
  const network = canonicalNetwork(text);
  if (network !== undefined) return network;
  context.addIssue({ code: 'custom', message: code('notNetwork') });
  return z.NEVER;
});

const NewKey = z
  .strictObject({
    name: Name,
    scopes: z
      .array(ScopeName, code('notScopes'))
      .min(1, code('noScope'))
      .max(100, code('tooLongText'))
      .transform((scopes) => [...new Set(scopes)]),
    expiresAt: SentTime.refine((at) => at.getTime() > Date.now(), code('notInFuture'))
      .nullish()
      .meta({ override: { type: ['string', 'null'], format: 'date-time' }, description: 'When the key ends' }),
    cidrs: z
      .array(Network, code('notNetworks'))
      .max(MAX_NETWORKS, code('tooManyItems', { max: MAX_NETWORKS }))
      .nullish()
      .meta({
        override: { type: ['array', 'null'], items: { type: 'string' }, maxItems: MAX_NETWORKS },
        description: 'The only networks that may use the key. Empty: all',
        example: ['203.0.113.0/24'],
      }),
  })
  .meta({ id: 'NewApiKey', example: { name: 'Nightly export', scopes: ['export'] } });

const ApiKey = component('ApiKey', {
  id: Id,
  name: Name,
  scopes: z.array(ScopeName),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  cidrs: z.array(z.string()).meta({ example: ['203.0.113.0/24'] }),
  lastUsedAt: Timestamp.nullable().meta({ description: 'May lag by a minute' }),
  lastUsedFrom: z.string().nullable().meta({ description: 'The address of that request', example: '203.0.113.7' }),
});

const Scoped = z.strictObject({ sourceAppId: ScopeParameter });

const shared = {
  auth: 'session',
  scope: 'manage',
  scoped: true,
  load: 'light',
  tag: 'API keys',
  query: Scoped,
} as const;

/** The endpoints of API keys (spec 4.8). No API key may call them. */
export const apiKeyEndpoints = {
  listKeys: {
    ...shared,
    method: 'get',
    path: '/auth/keys',
    summary: "The API keys of the session's app",
    description: 'Also those that have ended, the oldest first.',
    response: z.strictObject({
      keys: z.array(ApiKey),
      mcp: z.literal(true).optional().meta({ description: 'The keys work for `POST /mcp` too' }),
    }),
  },
  createKey: {
    ...shared,
    method: 'post',
    path: '/auth/keys',
    audit: 'key.created',
    summary: "Create an API key of the session's app",
    description:
      'Only this response contains the key; the service stores a hash and cannot return it again. Programs send it as `Authorization: Bearer uck_...`. Only admins can give the scope `schema:write`.',
    body: jsonBody(NewKey, 'invalidKeySettings'),
    response: z.strictObject({
      id: Id,
      key: z
        .string()
        .regex(/^uck_[A-Za-z0-9_-]{43}$/)
        .meta({ example: 'uck_Zq3vN0mBtW1yS8dKfR5cXh2jLp7uAe4gQo9xTn6rVb1' }),
    }),
    errors: [409],
  },
  deleteKey: {
    ...shared,
    method: 'delete',
    path: '/auth/keys/:id',
    audit: 'key.deleted',
    summary: "Delete an API key of the session's app",
    description: 'After the response no server accepts the key.',
    params: z.object({ id: Id }),
    response: Ok,
  },
} as const satisfies Endpoints;

/** @param hasMcp whether the service has tools for programs (spec 4.15) */
export const apiKeyRoutes = (keys: ApiKeyService, hasMcp: boolean): Route[] =>
  routes(apiKeyEndpoints, {
    listKeys: async ({ app: { id } }) => ({
      keys: (await keys.list(id)).map(present),
      ...(hasMcp && { mcp: true as const }),
    }),

    createKey: async ({ app: { id: appId }, principal, body, audit }) => {
      const created = await keys.create(appId, body, principal);
      const { name: _, scopes, ...limits } = body;
      audit({ target: created.id, detail: { scopes: scopes.join(' ') }, changed: { after: { scopes, ...limits } } });
      return created;
    },

    deleteKey: ({ app: { id }, params }) => keys.remove(id, params.id),
  });

function present({ _id, name, scopes, createdAt, expiresAt, cidrs, lastUsedAt, lastUsedFrom }: ApiKeyDocument) {
  return {
    id: _id.toHexString(),
    name,
    scopes,
    createdAt: createdAt.toISOString(),
    cidrs: cidrs ?? [],
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    lastUsedFrom: lastUsedFrom ?? null,
  };
}
