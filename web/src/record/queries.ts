import { queryOptions } from '@tanstack/react-query';
import { callWithHeaders } from '../api/call.ts';
import type { DetailedRecord } from '../api/endpoints.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

/** A record with the state that `If-Match` names. */
export interface StoredRecord {
  record: DetailedRecord;
  etag: string;
}

export const recordKey = (id: string) => ['user', id] as const;

/** One record of the app that a page shows. */
export const recordQuery = (scope: Scope, id: string) =>
  queryOptions({
    queryKey: recordKey(id),
    queryFn: ({ signal }) => readRecord(scope, id, signal),
  });

export async function readRecord(scope: Scope, id: string, signal?: AbortSignal): Promise<StoredRecord> {
  const { body, headers } = await callWithHeaders('GET /auth/users/:id', {
    params: { id },
    query: scopeParameter(scope),
    ...(signal && { signal }),
  });
  return { record: body, etag: headers.get('ETag') ?? '' };
}
