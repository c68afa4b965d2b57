import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { hasStatus } from '../api/call.ts';
import type { AppOverview } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { CheckIcon, InfoIcon, ShareIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import { useKeepsSubmissions } from '../inbox/queries.ts';
import { appLabel } from '../session/current-app.ts';
import { AppNotFound } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { formatBytes, formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { DayChart } from '../users/day-chart.tsx';
import { appPath, type Scope, usersPath } from '../users/scope.ts';
import classes from './overview.module.css';
import { overviewQuery, submissionsOf, tasksOf } from './queries.ts';

/** What happens in an app: what waits, its submissions of 30 days, and how much it stores. */
export default function AppOverviewPage({ scope }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(overviewQuery(scope.sourceAppId));
  const app = data?.apps[0];
  if (hasStatus(error, 404) || (data && !app)) {
    return <AppNotFound sourceAppId={scope.sourceAppId} path="/" action={t.shell.goToStart} />;
  }
  return (
    <>
      <PageHeader title={app ? appLabel(app) : scope.sourceAppId} note={app?.name && app.sourceAppId}>
        <Button component={Link} href={appPath(scope, 'share')} variant="default" leftSection={<ShareIcon size={16} />}>
          {t.apps.connectForm}
        </Button>
      </PageHeader>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!app && !error && <PageSkeleton />}
      {app && <Overview app={app} />}
    </>
  );
}

function Overview({ app }: { app: AppOverview }) {
  const keeps = useKeepsSubmissions(app.sourceAppId);
  const { today, week, all } = submissionsOf(app);
  const list = keeps ? appPath(app, 'inbox') : usersPath(app);
  if (all === 0 && app.users === 0) return <Nothing app={app} />;
  return (
    <div className={card.stack}>
      <Tasks app={app} />
      <Section id="submissions" title={t.overview.submissions}>
        <div className={classes.figures}>
          <Figure name={t.overview.today} value={formatNumber(today)} href={list} />
          <Figure name={t.overview.week} value={formatNumber(week)} href={list} />
          <Figure name={t.overview.days(app.submissions.length)} value={formatNumber(all)} href={list} />
          {app.lastAt && <Figure name={t.overview.last} value={<Time at={app.lastAt} relative />} href={list} />}
        </div>
        <DayChart days={app.submissions.map(({ day, count }) => ({ date: day, count }))} title={t.overview.chart} />
      </Section>
      <Section id="stored" title={t.overview.stored}>
        <div className={classes.figures}>
          {app.users !== undefined && (
            <Figure name={t.overview.people} value={formatNumber(app.users)} href={usersPath(app)} />
          )}
          {app.filesBytes !== undefined && (
            <Figure name={t.overview.files} value={formatBytes(app.filesBytes)} href={usersPath(app)} />
          )}
        </div>
      </Section>
    </div>
  );
}

function Tasks({ app }: { app: AppOverview }) {
  const tasks = tasksOf(app);
  return (
    <Section id="tasks" title={t.overview.tasks}>
      {tasks.length === 0 ? (
        <Text c="dimmed" className={classes.task ?? ''}>
          <CheckIcon size={16} /> {t.overview.noTasks}
        </Text>
      ) : (
        <ul className={classes.tasks} aria-labelledby="tasks">
          {tasks.map(({ href, text, fails }) => (
            <li key={text} className={classes.task} data-fails={fails || undefined}>
              <InfoIcon size={16} /> <Link href={href}>{text}</Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Nothing({ app }: { app: AppOverview }) {
  return (
    <EmptyState
      title={t.overview.nothing}
      action={
        <Button component={Link} href={appPath(app, 'share')}>
          {t.apps.connectForm}
        </Button>
      }
    >
      {t.overview.nothingNote}
    </EmptyState>
  );
}

interface FigureProps {
  name: string;
  value: React.ReactNode;
  href: string;
}

function Figure({ name, value, href }: FigureProps) {
  return (
    <Link href={href} className={classes.figure ?? ''}>
      <span className={classes.name}>{name}</span>
      <span className={classes.value}>{value}</span>
    </Link>
  );
}
