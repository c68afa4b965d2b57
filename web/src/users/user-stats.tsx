import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calendarDay, Time } from '../components/time.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { scopedStatsQuery } from './queries.ts';
import type { Scope } from './scope.ts';
import classes from './user-stats.module.css';

const HEIGHT = 72;
const GAP = 0.25;

interface Day {
  date: string;
  created: number;
}

/** User counts and a chart of new users per day. Hidden on errors. */
export function UserStats({ scope }: { scope: Scope }) {
  const { data, error } = useQuery(scopedStatsQuery(scope));
  if (error) return null;
  if (!data) return <Skeleton h={122} mb="md" radius={12} className={classes.loading ?? ''} />;
  if (data.users === 0) return null;
  const recent = data.days.reduce((sum, { created }) => sum + created, 0);
  return (
    <section className={classes.stats} aria-label={t.users.statistics.title} data-statistics>
      <Stat name={t.users.statistics.users} value={formatNumber(data.users)} />
      <Stat name={t.users.statistics.newIn(data.days.length)} value={formatNumber(recent)} />
      {/* Absent when imports created all users. */}
      {data.lastSubmissionAt && (
        <Stat name={t.users.statistics.lastSubmission} value={<Time at={data.lastSubmissionAt} relative />} small />
      )}
      <Chart days={data.days} />
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

function Chart({ days }: { days: readonly Day[] }) {
  const peak = Math.max(1, ...days.map(({ created }) => created));
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return null;
  return (
    <figure className={classes.chart}>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
        aria-hidden="true"
      >
        {days.map(({ date, created }, index) => {
          const height = created === 0 ? 1 : Math.max(3, (created / peak) * HEIGHT);
          return (
            <rect
              key={date}
              x={index + GAP / 2}
              y={HEIGHT - height}
              width={1 - GAP}
              height={height}
              className={created === 0 ? classes.emptyBar : classes.bar}
            >
              <title>{`${calendarDay(date)}: ${formatNumber(created)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={classes.axis}>
        <span>{calendarDay(first.date)}</span>
        <span>{t.users.statistics.chart(peak)}</span>
        <span>{calendarDay(last.date)}</span>
      </figcaption>
      {/* A table ignores the height of its class, and would extend the page. */}
      <div className="visually-hidden">
        <table>
          <caption>{t.users.statistics.table}</caption>
          <tbody>
            {days.map(({ date, created }) => (
              <tr key={date}>
                <th scope="row">{calendarDay(date)}</th>
                <td>{formatNumber(created)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
