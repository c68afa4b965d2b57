import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calendarDay, Time } from '../components/content/time.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import type { Breakdown } from './breakdown/bars.ts';
import { lastDates, recentQuery } from './breakdown/query.ts';
import { type Day, DayChart } from './day-chart.tsx';
import { isFiltered, type UserFilter } from './list/list-parameters.ts';
import type { UserCount } from './list/use-user-count.ts';
import { STATS_DAYS, scopedStatsQuery, TIME_ZONE } from './queries.ts';
import type { Scope } from './scope.ts';
import classes from './user-stats.module.css';

interface UserStatsProps {
  scope: Scope;
  filter: UserFilter;
  /** The number of users that match the filter. */
  count: UserCount | undefined;
}

/** The numbers of the users that match the filter, and a chart of new ones. Hidden on errors. */
export function UserStats({ scope, filter, count }: UserStatsProps) {
  return isFiltered(filter) ? <OfFilter scope={scope} filter={filter} count={count} /> : <OfApp scope={scope} />;
}

function OfApp({ scope }: { scope: Scope }) {
  const { data, error } = useQuery(scopedStatsQuery(scope));
  if (error) return null;
  if (!data) return <Loading />;
  if (data.users === 0) return null;
  const recent = data.days.reduce((sum, { created }) => sum + created, 0);
  return (
    <Stats
      title={t.users.statistics.title}
      days={data.days.map(({ date, created }) => ({ date, count: created }))}
      timeZone={data.timeZone}
    >
      <Stat name={t.users.statistics.users} value={formatNumber(data.users)} />
      <Stat name={t.users.statistics.newIn(data.days.length)} value={formatNumber(recent)} />
      {/* Absent when imports created all users. */}
      {data.lastSubmissionAt && (
        <Stat name={t.users.statistics.lastSubmission} value={<Time at={data.lastSubmissionAt} relative />} small />
      )}
    </Stats>
  );
}

function OfFilter({ scope, filter: { q, where }, count }: UserStatsProps) {
  const dates = lastDates();
  const { data, error } = useQuery(recentQuery(scope, { q, where }));
  if (error || (count?.is === 'exact' && count.total === 0)) return null;
  if (!data) return <Loading />;
  // Until all matches are counted, there are at least as many as new ones.
  const least = count?.is === 'exact' ? count.total : Math.max(count?.total ?? 0, data.records);
  return (
    <Stats title={t.users.statistics.ofMatching} days={daysOf(data, dates)} timeZone={data.timeZone ?? TIME_ZONE}>
      <Stat name={t.users.statistics.matching} value={count ? atLeast(least, count.is === 'exact') : '…'} />
      <Stat name={t.users.statistics.newIn(STATS_DAYS)} value={atLeast(data.records, data.complete)} />
    </Stats>
  );
}

const atLeast = (number: number, isExact: boolean): string => `${formatNumber(number)}${isExact ? '' : '+'}`;

/** The new users of each day, from ranges that are days or hours. */
function daysOf({ ranges = [] }: Breakdown, dates: readonly string[]): Day[] {
  const created = new Map(dates.map((date) => [date, 0]));
  for (const { from, count } of ranges) {
    const date = String(from).slice(0, 10);
    created.set(date, (created.get(date) ?? 0) + count);
  }
  return dates.map((date) => ({ date, count: created.get(date) ?? 0 }));
}

const Loading = () => <Skeleton h={122} mb="md" radius={12} className={classes.loading ?? ''} />;

interface StatsProps {
  title: string;
  days: readonly Day[];
  timeZone: string;
  children: React.ReactNode;
}

/** With a chart when users were created on more than one day. */
function Stats({ title, days, timeZone, children }: StatsProps) {
  const [first, second] = days.filter(({ count }) => count > 0);
  return (
    <section className={`${classes.stats} ${second ? classes.charted : ''}`} aria-label={title} data-statistics>
      {children}
      {second && <DayChart days={days} title={t.users.statistics.chart(timeZone)} />}
      {first && !second && <Stat name={t.users.statistics.allOn} value={calendarDay(first.date)} small />}
    </section>
  );
}

function Stat({ name, value, small = false }: { name: string; value: React.ReactNode; small?: boolean }) {
  return (
    <div className={classes.figure}>
      <div className={classes.label}>{name}</div>
      <div className={small ? classes.text : classes.value}>{value}</div>
    </div>
  );
}
