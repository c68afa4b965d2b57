import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, callWithEtag } from '../api/call.ts';
import type { DetailedRecord } from '../api/endpoints.ts';
import { invalidate } from '../api/mutations.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

/** A record with the state that `If-Match` names. */
export interface StoredRecord {
  record: DetailedRecord;
  etag: string;
}

const recordKey = (id: string) => ['user', id];

const historyKey = (id: string) => [...recordKey(id), 'history'];

/** One record of the app that a page shows. */
export const recordQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: recordKey(id),
    queryFn: ({ signal }) => readRecord(scope, id, signal),
  });

export async function readRecord(scope: Scope, id: string, signal?: AbortSignal): Promise<StoredRecord> {
  const request = { params: { id }, query: scopeParameter(scope), ...(signal && { signal }) };
  const { body, etag } = await callWithEtag('GET /auth/users/:id', request);
  return { record: body, etag };
}

/** Shows a new state of a record, and reads its history and the lists again. */
export function showStored(client: QueryClient, stored: StoredRecord): void {
  const { id } = stored.record;
  client.setQueryData(recordKey(id), stored);
  void client.invalidateQueries({ queryKey: historyKey(id) });
  void invalidate(client, 'users');
}

/** Undoes a change of a record. The service refuses it when the values changed since. */
export async function revertChange(scope: Scope, id: string, revision: number): Promise<StoredRecord> {
  const request = { params: { id }, query: scopeParameter(scope), body: { revision } };
  const { body, etag } = await callWithEtag('POST /auth/users/:id/revert', request);
  return { record: body, etag };
}

/** The history of a record, page by page. */
export const historyQuery = (scope: Scope, id: string) =>
  infiniteQueryOptions({
    queryKey: historyKey(id),
    queryFn: ({ pageParam, signal }) =>
      call('GET /auth/users/:id/history', {
        params: { id },
        query: { ...scopeParameter(scope), cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
