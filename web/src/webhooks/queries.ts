import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Delivery, Request, Webhook } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const PAGE_SIZE = 25;
/** How often a page is read again while an attempt follows soon, and otherwise. */
const SOON_INTERVAL_MS = 1_500;
const POLL_INTERVAL_MS = 3_000;
const SOON_MS = 30_000;

export type DeliveryState = Delivery['state'];

/** The webhooks of an app; at most 20. */
export const webhooksQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['webhooks', scope.sourceAppId],
    queryFn: async ({ signal }) =>
      (await call('GET /auth/webhooks', { query: scopeParameter(scope), signal })).webhooks,
    refetchInterval: POLL_INTERVAL_MS,
  });

/** A page of the deliveries of a webhook, newest first. */
export const deliveriesQuery = (
  scope: Scope,
  id: string,
  { state, cursor }: { state: DeliveryState | undefined; cursor: string | undefined },
) =>
  queryOptions({
    queryKey: ['deliveries', id, state, cursor],
    queryFn: ({ signal }) =>
      call('GET /auth/webhooks/:id/deliveries', {
        params: { id },
        query: { ...scopeParameter(scope), state, cursor, limit: PAGE_SIZE },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.deliveries.some(isDueSoon) ? SOON_INTERVAL_MS : POLL_INTERVAL_MS),
  });

/** One delivery, with what an attempt would send now. */
export const deliveryQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) =>
      call('GET /auth/webhooks/deliveries/:id', { params: { id }, query: scopeParameter(scope), signal }),
    refetchInterval: ({ state: { data } }) => (data && isDueSoon(data) ? SOON_INTERVAL_MS : POLL_INTERVAL_MS),
  });

function isDueSoon({ nextAt }: Pick<Delivery, 'nextAt'>): boolean {
  return nextAt !== undefined && Date.parse(nextAt) < Date.now() + SOON_MS;
}

type WebhookInput = NonNullable<Request<'POST /auth/webhooks'>['body']>;
type WebhookChange = NonNullable<Request<'PATCH /auth/webhooks/:id'>['body']>;

const CHANGED = ['webhooks', 'deliveries'];

/** The changes of the webhooks of an app. */
export function useWebhookChanges(scope: Scope) {
  const query = scopeParameter(scope);
  return {
    create: useChange(CHANGED, (body: WebhookInput) => call('POST /auth/webhooks', { query, body })),
    change: useChange(CHANGED, ({ id, ...body }: WebhookChange & Pick<Webhook, 'id'>) =>
      call('PATCH /auth/webhooks/:id', { params: { id }, query, body }),
    ),
    remove: useChange(CHANGED, (id: string) => call('DELETE /auth/webhooks/:id', { params: { id }, query })),
    rotate: useChange(CHANGED, (id: string) =>
      call('POST /auth/webhooks/:id/rotate-secret', { params: { id }, query }),
    ),
    test: useChange(CHANGED, (id: string) => call('POST /auth/webhooks/:id/test', { params: { id }, query })),
    replay: useChange(CHANGED, (id: string) =>
      call('POST /auth/webhooks/deliveries/:id/replay', { params: { id }, query }),
    ),
    replaySince: useChange(CHANGED, ({ id, since }: { id: string; since: string }) =>
      call('POST /auth/webhooks/:id/replay', { params: { id }, query, body: { since } }),
    ),
  };
}
