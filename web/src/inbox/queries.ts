import { notifications } from '@mantine/notifications';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { KeptSubmission } from '../api/endpoints.ts';
import { invalidate } from '../api/mutations.ts';
import { showUndoNotice } from '../components/content/undo-notice.tsx';
import { t } from '../texts/texts.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';
import { type Folder, folderParameter } from './folders.ts';

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

export interface InboxFilter {
  q: string;
  where: readonly string[];
  folder: Folder;
}

/** The parameters of a request for the messages that match. */
export const filterParameters = ({ q, where, folder }: InboxFilter) => ({
  where,
  ...(q !== '' && { q }),
  ...folderParameter(folder),
});

/** A page of the inbox. The first one shows what arrives while it is open. */
export const inboxQuery = (scope: Scope, filter: InboxFilter, cursor: string | undefined) => {
  const query = { limit: PAGE_SIZE, cursor, ...filterParameters(filter), ...scopeParameter(scope) };
  return queryOptions({
    queryKey: ['inbox', query],
    queryFn: ({ signal }) => call('GET /auth/submissions', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined && POLL_INTERVAL_MS,
    staleTime: 0,
  });
};

/** Resolves with the time of the newest message of an app; undefined: it has none. */
export async function readNewestTime(scope: Scope): Promise<string | undefined> {
  const { submissions } = await call('GET /auth/submissions', { query: { limit: 1, ...scopeParameter(scope) } });
  return submissions[0]?.at;
}

/**
 * Archives a message, or moves an archived one to the inbox, and tells of it with a button that
 * undoes it.
 */
export function useMove(scope: Scope): (message: KeptSubmission) => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ id, done }: KeptSubmission) => store(id, !done),
    onSuccess: (_, { id, done, email }) => {
      const title = done ? t.inbox.reopened : t.inbox.nowDone;
      const undo = () => store(id, done === true).then(() => invalidate(client, 'inbox'), tell);
      showUndoNotice({ title, text: t.inbox.messageOf(email), undo });
    },
    onError: tell,
    onSettled: () => invalidate(client, 'inbox'),
  });
  return mutate;

  function store(id: string, done: boolean) {
    return call('PATCH /auth/submissions/:id', { params: { id }, query: scopeParameter(scope), body: { done } });
  }

  function tell({ message }: Error): void {
    notifications.show({ color: 'red', title: t.inbox.notMoved, message });
  }
}

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
