import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { AppOverview } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';

const POLL_INTERVAL_MS = 60_000;

/** What happens in an app, or in the apps of the reader. @param cursor of the page */
export const overviewQuery = (sourceAppId?: string, cursor?: string) => {
  const query = { sourceAppId, cursor };
  return queryOptions({
    queryKey: ['overview', query],
    queryFn: ({ signal }) => call('GET /auth/overview', { query, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });
};

/** Something that waits for somebody, with the page where it is seen to. */
interface Task {
  href: string;
  text: string;
  /** Whether something fails, rather than waits. */
  fails: boolean;
}

export function tasksOf(app: AppOverview): Task[] {
  const { held = 0, webhooksFailing = 0, mailsFailing = 0 } = app;
  return [
    ...(webhooksFailing > 0
      ? [{ href: appPath(app, 'webhooks'), text: t.overview.webhooksFailing(webhooksFailing), fails: true }]
      : []),
    ...(mailsFailing > 0
      ? [{ href: appPath(app, 'emails'), text: t.overview.mailsFailing(mailsFailing), fails: true }]
      : []),
    ...(held > 0 ? [{ href: appPath(app, 'held'), text: t.overview.held(held), fails: false }] : []),
  ];
}

const DAYS_OF_WEEK = 7;

/** The submissions of the last days of an app, today included. */
export function submissionsOf({ submissions }: AppOverview) {
  const sum = (days: number): number => submissions.slice(-days).reduce((all, { count }) => all + count, 0);
  return { today: sum(1), week: sum(DAYS_OF_WEEK), all: sum(submissions.length) };
}
