import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { readWords } from '#src/platform/languages/mail-failures.ts';
import { call } from '../api/call.ts';
import type { Mail } from '../api/endpoints.ts';
import { useChange } from '../api/mutations.ts';
import { mailStatusQuery } from '../connect/queries.ts';
import { t } from '../texts/texts.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const PAGE_SIZE = 25;
const POLL_INTERVAL_MS = 3_000;
const FAILURE_INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;

const KEY = 'mails';

export type MailState = Mail['state'];
type Attempt = Mail['attempts'][number];

/** A page of the emails of an app, newest first. */
export const mailsQuery = (
  scope: Scope,
  { state, cursor }: { state: MailState | undefined; cursor: string | undefined },
) =>
  queryOptions({
    queryKey: [KEY, 'page', scope.sourceAppId, state, cursor],
    queryFn: ({ signal }) =>
      call('GET /auth/mails', { query: { ...scopeParameter(scope), state, cursor, limit: PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_INTERVAL_MS,
  });

/** Why the newest attempt of a day failed, of emails that have failed or wait for the next one. */
const failureQuery = (app: Pick<Scope, 'sourceAppId'>) =>
  queryOptions({
    queryKey: [KEY, 'failure', app.sourceAppId],
    queryFn: async ({ signal }): Promise<string | null> => {
      const read = (state: MailState) =>
        call('GET /auth/mails', { query: { ...scopeParameter(app), state, limit: PAGE_SIZE }, signal });
      const found = await Promise.all([read('failed'), read('waiting')]);
      const since = new Date(Date.now() - DAY_MS).toISOString();
      const [newest] = found
        .flatMap(({ mails }) => mails.flatMap(({ attempts }) => attempts.at(-1) ?? []))
        .filter(({ at, error }) => error !== undefined && at > since)
        .sort((one, other) => other.at.localeCompare(one.at));
      return newest?.error ?? null;
    },
    refetchInterval: FAILURE_INTERVAL_MS,
  });

/** Why an email of an app could not be sent in the last day, in words; undefined: all were. */
export function useMailFailure(app: Pick<Scope, 'sourceAppId'> | undefined): string | undefined {
  const named = app ?? { sourceAppId: '' };
  const { data: status } = useQuery({ ...mailStatusQuery(scopeParameter(named)), enabled: app !== undefined });
  const { data } = useQuery({ ...failureQuery(named), enabled: app !== undefined && status?.mail === true });
  return data ? t.emails.failing(reasonOf(data).text) : undefined;
}

/** Why an attempt failed, in words, with what the mail server said. */
export function reasonOf(error: string): { text: string; detail: string } {
  const { cause, detail } = readWords(error);
  return cause ? { text: t.emails.reasons[cause], detail } : { text: error, detail: '' };
}

export const lastAttempt = ({ attempts }: Pick<Mail, 'attempts'>): Attempt | undefined => attempts.at(-1);

export function useMailChanges(scope: Scope) {
  const query = scopeParameter(scope);
  return {
    retry: useChange(KEY, (id: string) => call('POST /auth/mails/:id/retry', { params: { id }, query })),
    test: useChange(KEY, () => call('POST /auth/mail/test', { query })),
  };
}
