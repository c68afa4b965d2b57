import { queryOptions } from '@tanstack/react-query';
import { ApiError, buildUrl, call, callForFile, NetworkError } from '../api/call.ts';
import type { Import, ImportSettings } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const KEY = 'imports';
const POLL_MS = 700;
/** Each part is sent well within the time limit of a request. */
const PART_BYTES = 2 * 1024 * 1024;

const isUnderWay = ({ state, undo }: Import): boolean => state === 'running' || undo?.state === 'running';

/** The newest imports of an app. Polled while one or its undo runs. */
export const importsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [KEY, scope.sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/imports', { query: scopeParameter(scope), signal }),
    refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) ? POLL_MS : false),
  });

/** The address of the rejected lines of an import. */
export function rejectsUrl(scope: Scope, id: string): string {
  return buildUrl('/auth/imports/:id/rejects.csv', { id }, scopeParameter(scope));
}

/** The address of the values that an import left out. */
export function omissionsUrl(scope: Scope, id: string): string {
  return buildUrl('/auth/imports/:id/omissions.csv', { id }, scopeParameter(scope));
}

/** Reads the rejected lines of an import as a file that can be imported. */
export async function rejectedFile(scope: Scope, id: string): Promise<File> {
  const request = { params: { id }, query: scopeParameter(scope) };
  const { name, content } = await callForFile('GET /auth/imports/:id/rejects.csv', request);
  return new File([content], name, { type: 'text/csv' });
}

/** Prepares an import, sends its file in parts, and starts it. */
export function useStartImport(scope: Scope, onSent: (part: number) => void) {
  const query = scopeParameter(scope);
  return useChange(KEY, async ({ file, settings }: { file: File; settings: ImportSettings }) => {
    const { id } = await call('POST /auth/imports', { query, body: settings });
    try {
      for (let from = 0; from < file.size; from += PART_BYTES) {
        await sendPart(buildUrl('/auth/imports/:id/content', { id }, query), file, from);
        onSent(Math.min(1, (from + PART_BYTES) / file.size));
      }
      await call('POST /auth/imports/:id/start', { params: { id }, query });
    } catch (error) {
      await call('DELETE /auth/imports/:id', { params: { id }, query }).catch(() => undefined);
      throw error;
    }
    return id;
  });
}

async function sendPart(url: string, file: File, from: number): Promise<void> {
  const body = file.slice(from, from + PART_BYTES);
  const range = `bytes ${from}-${from + body.size - 1}/${file.size}`;
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Range': range };
  const response = await fetch(url, { method: 'PUT', headers, body }).catch(() => {
    throw new NetworkError();
  });
  if (response.ok) return;
  throw new ApiError('PUT /auth/imports/:id/content', response, await response.json().catch(() => ({})));
}

/** Stops and deletes an import. */
export const useDeleteImport = (scope: Scope) =>
  useChange(KEY, (id: string) => call('DELETE /auth/imports/:id', { params: { id }, query: scopeParameter(scope) }));

/** Begins the undo of an import. */
export const useUndoImport = (scope: Scope) =>
  useChange(KEY, (id: string) => call('POST /auth/imports/:id/undo', { params: { id }, query: scopeParameter(scope) }));
