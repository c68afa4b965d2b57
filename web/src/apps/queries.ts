import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, callWithHeaders } from '../api/call.ts';

const PAGE_SIZE = 50;

export interface AppOrder {
  sort: 'sourceAppId' | 'createdAt' | 'lastSubmissionAt';
  order: 'asc' | 'desc';
}

/** The apps whose ID contains `q`, page by page. */
export const appPagesQuery = (q: string, order: AppOrder) =>
  infiniteQueryOptions({
    queryKey: ['apps', 'pages', q, order],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call('GET /auth/apps', { query: { q, ...order, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });

export const appStatsQuery = (sourceAppIds: readonly string[]) =>
  queryOptions({
    queryKey: ['admin-stats', sourceAppIds],
    queryFn: ({ signal }) => call('GET /auth/admin/stats', { query: { sourceAppId: sourceAppIds }, signal }),
  });

/** The newest schema of an app, with the ETag for `If-Match`. */
export const appSchemaQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['app-schema', sourceAppId],
    queryFn: async ({ signal }) => {
      const { body, headers } = await callWithHeaders('GET /auth/apps/:sourceAppId/schema', {
        params: { sourceAppId },
        signal,
      });
      return { schema: body, etag: headers.get('ETag') ?? '' };
    },
  });

/** One version of an app's schema. Versions are immutable, so the result never becomes stale. */
export const appSchemaVersionQuery = (sourceAppId: string, version: number) =>
  queryOptions({
    queryKey: ['app-schema', sourceAppId, version],
    queryFn: ({ signal }) =>
      call('GET /auth/apps/:sourceAppId/schema', {
        params: { sourceAppId },
        query: { version },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const schemaVersionsQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['app-schema', sourceAppId, 'versions'],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/schema/versions', { params: { sourceAppId }, signal }),
  });
