import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

export const historySettingsKey = (sourceAppId: string) => ['history settings', sourceAppId];

/** What the history of an app keeps. */
export const historySettingsQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: historySettingsKey(sourceAppId),
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/history', { params: { sourceAppId }, signal }),
    refetchOnWindowFocus: false,
  });

/** Whether an app keeps submissions; undefined until that is known, and of no app. */
export function useKeepsSubmissions(sourceAppId: string | undefined): boolean | undefined {
  const isNamed = sourceAppId !== undefined;
  const { data, error } = useQuery({ ...historySettingsQuery(sourceAppId ?? ''), enabled: isNamed });
  return error ? false : data?.submissions;
}

export const PAGE_SIZE = 25;
const POLL_INTERVAL_MS = 30_000;

interface InboxFilter {
  q: string;
  where: readonly string[];
}

/** A page of the inbox. The first one shows what arrives while it is open. */
export const inboxQuery = (scope: Scope, { q, where }: InboxFilter, cursor: string | undefined) => {
  const query = { limit: PAGE_SIZE, cursor, where, ...(q !== '' && { q }), ...scopeParameter(scope) };
  return queryOptions({
    queryKey: ['inbox', query],
    queryFn: ({ signal }) => call('GET /auth/submissions', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined && POLL_INTERVAL_MS,
    staleTime: 0,
  });
};

/** The most messages of a person beside one of them. */
const BESIDE = 20;

/** The newest submissions of a person. */
export const otherMessagesQuery = (scope: Scope, email: string) => {
  const query = { limit: BESIDE, where: [ofEmail(email)], ...scopeParameter(scope) };
  return queryOptions({
    queryKey: ['inbox', 'of person', query],
    queryFn: ({ signal }) => call('GET /auth/submissions', { query, signal }),
  });
};

/** The most submissions of a record that its page counts. */
export const COUNTED = 200;

/** The submissions of a person, for their number. */
export const submissionsOfQuery = (scope: Scope, email: string) => {
  const query = { limit: COUNTED, where: [ofEmail(email)], ...scopeParameter(scope) };
  return queryOptions({
    queryKey: ['inbox', 'number', query],
    queryFn: async ({ signal }) => (await call('GET /auth/submissions', { query, signal })).submissions.length,
  });
};

/** The condition of the submissions of a person. */
export const ofEmail = (email: string): string => `email:eq:${email}`;
