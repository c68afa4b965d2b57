import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, callForFile, callWithEtag, hasStatus } from '../api/call.ts';
import type { FormSettings, Request, Schema } from '../api/endpoints.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';

/** How often a visible page requests the settings, which list the refused origins. */
const POLL_INTERVAL_MS = 3_000;
const MAX_TRIES = 4;

/** The form settings of an app, with the ETag for `If-Match`. */
export interface StoredSettings {
  settings: FormSettings;
  etag: string;
}

/** The members of a replacement of the settings. */
export type SettingsInput = NonNullable<Request<'PUT /auth/apps/:sourceAppId/form'>['body']>;

/** An app on the Connect page. */
export interface ConnectedApp extends Scope {
  schema: Schema;
  stored: StoredSettings;
}

export const formSettingsQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['form-settings', sourceAppId],
    queryFn: async ({ signal }): Promise<StoredSettings> => {
      const request = { params: { sourceAppId }, signal };
      const { body, etag } = await callWithEtag('GET /auth/apps/:sourceAppId/form', request);
      return { settings: body, etag };
    },
    refetchInterval: POLL_INTERVAL_MS,
  });

/** The JSON Schema of the app's newest schema as text, in lines. */
export const jsonSchemaQuery = ({ sourceAppId, schema: { version } }: ConnectedApp) =>
  queryOptions({
    queryKey: ['json-schema', sourceAppId, version],
    queryFn: async ({ signal }) => {
      const request = { query: { format: 'json-schema' }, headers: { 'x-app-id': sourceAppId }, signal };
      const { content } = await callForFile('GET /v1/schema', request);
      return JSON.stringify(JSON.parse(await content.text()), null, 2);
    },
  });

/** Which emails the service can send. It changes with a restart only. */
/** @param query names the app where the session does not */
export const mailStatusQuery = (query: { sourceAppId?: string }) =>
  queryOptions({
    queryKey: ['mail-status'],
    queryFn: ({ signal }) => call('GET /auth/mail', { query, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Replaces the settings if the ETag names the stored ones. @throws {ApiError} 412 otherwise */
export async function putFormSettings(sourceAppId: string, body: SettingsInput, etag: string): Promise<StoredSettings> {
  const saved = await callWithEtag('PUT /auth/apps/:sourceAppId/form', {
    params: { sourceAppId },
    body,
    headers: { 'If-Match': etag },
  });
  return { settings: saved.body, etag: saved.etag };
}

/** Whether an error says that someone else changed the settings. */
export const isConflict = (error: unknown): boolean => hasStatus(error, 412);

/** A change of the settings that does not depend on the other members. */
export type SettingsChange = (settings: FormSettings) => Partial<SettingsInput>;

/** Applies a change to the newest settings, also after a change by someone else. */
export function useChangeSettings(sourceAppId: string) {
  const client = useQueryClient();
  const query = formSettingsQuery(sourceAppId);
  return useMutation({
    mutationFn: async (change: SettingsChange): Promise<StoredSettings> => {
      for (let tries = 1; ; tries += 1) {
        const { settings, etag } = await client.fetchQuery({ ...query, staleTime: 0 });
        try {
          return await putFormSettings(sourceAppId, { ...settings, ...change(settings) }, etag);
        } catch (error) {
          if (!isConflict(error) || tries === MAX_TRIES) throw error;
        }
      }
    },
    onSuccess: async (stored) => {
      // A poll that began before the change must not overwrite its result.
      await client.cancelQueries({ queryKey: query.queryKey });
      client.setQueryData(query.queryKey, stored);
    },
  });
}

export function useConnectedApp(scope: Scope) {
  const schema = useQuery(scopedSchemaQuery(scope));
  const settings = useQuery(formSettingsQuery(scope.sourceAppId));
  return {
    app: schema.data && settings.data ? { ...scope, schema: schema.data, stored: settings.data } : undefined,
    error: schema.error ?? settings.error,
    refetch: () => Promise.all([schema.refetch(), settings.refetch()]),
  };
}
