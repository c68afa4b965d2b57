import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, callWithEtag } from '../api/call.ts';
import type { NewApp } from '../api/endpoints.ts';
import { endpointQuery } from '../api/queries.ts';

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
  endpointQuery(['admin-stats', sourceAppIds], 'GET /auth/admin/stats', { query: { sourceAppId: sourceAppIds } });

/** An app that keeps its submissions, as the dashboard creates all. */
export const newApp = (sourceAppId: string): NewApp => ({ sourceAppId, history: { submissions: true } });

/** The newest schema of an app, with the ETag for `If-Match`. */
export const appSchemaQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['app-schema', sourceAppId],
    queryFn: async ({ signal }) => {
      const request = { params: { sourceAppId }, signal };
      const { body, etag } = await callWithEtag('GET /auth/apps/:sourceAppId/schema', request);
      return { schema: body, etag };
    },
  });

/** One version of an app's schema. Versions are immutable, so the result never becomes stale. */
export const appSchemaVersionQuery = (sourceAppId: string, version: number) =>
  queryOptions({
    ...endpointQuery(['app-schema', sourceAppId, version], 'GET /auth/apps/:sourceAppId/schema', {
      params: { sourceAppId },
      query: { version },
    }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const schemaVersionsQuery = (sourceAppId: string) =>
  endpointQuery(['app-schema', sourceAppId, 'versions'], 'GET /auth/apps/:sourceAppId/schema/versions', {
    params: { sourceAppId },
  });
