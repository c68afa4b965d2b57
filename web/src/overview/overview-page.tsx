import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/call.ts';
import type { AppOverview } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { appLabel } from '../session/current-app.ts';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';
import classes from './overview.module.css';
import { submissionsOf, tasksOf } from './queries.ts';

const SHOWN = 50;

/** All apps of the reader: what fails first, then the latest submissions. */
export default function OverviewPage() {
  const list = useInfiniteQuery({
    queryKey: ['overview', 'pages'],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET /auth/overview', { query: { ...(cursor !== '' && { cursor }) }, signal }),
    getNextPageParam: ({ next }) => next,
  });
  const [most, setMost] = useState(SHOWN);
  const apps = list.data?.pages
    .flatMap((page) => page.apps)
    .map((app) => ({ ...app, id: app.sourceAppId }))
    .sort(byUrgency);
  const isPartial = list.data?.pages.some(({ complete }) => complete === false);
  return (
    <>
      <PageHeader title={t.overview.title} note={t.overview.note} />
      {list.error && <LoadError error={list.error} onRetry={list.refetch} />}
      <section className={card.card} aria-label={t.overview.title}>
        <ListBody
          items={apps}
          error={list.error}
          rows={5}
          empty={
            <EmptyState subject="apps" title={t.overview.noApps}>
              {t.overview.noAppsNote}
            </EmptyState>
          }
        >
          {(shown) => <Apps apps={shown.slice(0, most)} />}
        </ListBody>
        {apps && (apps.length > most || list.hasNextPage) && (
          <div className={card.more}>
            <button
              type="button"
              className={classes.more}
              onClick={() => {
                setMost(most + SHOWN);
                if (most + SHOWN > apps.length && list.hasNextPage) void list.fetchNextPage();
              }}
            >
              {t.apps.showMore}
            </button>
          </div>
        )}
      </section>
      {isPartial && (
        <Text c="dimmed" mt="sm" role="status">
          {t.overview.partial}
        </Text>
      )}
    </>
  );
}

/** What fails before what waits; then the one with the latest submission. */
function byUrgency(one: AppOverview, other: AppOverview): number {
  const urgency = (app: AppOverview): number => Math.max(0, ...tasksOf(app).map(({ fails }) => (fails ? 2 : 1)));
  const later = (other.lastAt ?? '').localeCompare(one.lastAt ?? '');
  return urgency(other) - urgency(one) || later || one.sourceAppId.localeCompare(other.sourceAppId);
}

function Apps({ apps }: { apps: readonly (AppOverview & { id: string })[] }) {
  return (
    <DataTable
      label={t.overview.table}
      rows={apps}
      columns={[
        {
          name: t.apps.app,
          className: 'breaks',
          cell: (app) => (
            <>
              <Link href={appPath(app, 'overview')} className={classes.app ?? ''}>
                {appLabel(app)}
              </Link>
              {app.name !== undefined && <div className={table.detail}>{app.sourceAppId}</div>}
            </>
          ),
        },
        { name: t.overview.days(apps[0]?.submissions.length ?? 0), cell: (app) => <Bars app={app} /> },
        {
          name: t.overview.submissions,
          isNumber: true,
          cell: (app) => formatNumber(submissionsOf(app).all),
        },
        {
          name: t.overview.people,
          isNumber: true,
          cell: ({ users }) => (users === undefined ? '…' : formatNumber(users)),
        },
        { name: t.overview.last, cell: ({ lastAt }) => (lastAt ? <Time at={lastAt} relative /> : '–') },
        { name: t.overview.tasks, cell: (app) => <Waiting app={app} /> },
      ]}
    />
  );
}

function Waiting({ app }: { app: AppOverview }) {
  const tasks = tasksOf(app);
  if (tasks.length === 0) return '–';
  return (
    <ul className={classes.tasks}>
      {tasks.map(({ href, text, fails }) => (
        <li key={text} className={classes.task} data-fails={fails || undefined}>
          <Link href={href}>{text}</Link>
        </li>
      ))}
    </ul>
  );
}

const HEIGHT = 24;

/** The days of an app as small bars; the number stands beside them. */
function Bars({ app: { submissions } }: { app: AppOverview }) {
  const most = Math.max(1, ...submissions.map(({ count }) => count));
  return (
    <svg
      viewBox={`0 0 ${submissions.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes.bars}
      aria-hidden="true"
    >
      {submissions.map(({ day, count }, index) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
        return <rect key={day} x={index + 0.15} y={HEIGHT - height} width={0.7} height={height} />;
      })}
    </svg>
  );
}
