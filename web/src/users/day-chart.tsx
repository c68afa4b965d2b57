import { calendarDay } from '../components/content/time.tsx';
import { formatNumber } from '../texts/format.ts';
import { locale } from '../texts/language.ts';
import { countTicks } from './breakdown/charts.tsx';
import classes from './user-stats.module.css';

const HEIGHT = 72;
const GAP = 0.25;
const DAYS_OF_WEEK = 7;

export interface Day {
  date: string;
  count: number;
}

const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The number of each day as bars, and as a table for screen readers. */
export function DayChart({ days, title }: { days: readonly Day[]; title: string }) {
  const ticks = countTicks(Math.max(1, ...days.map(({ count }) => count)));
  const top = ticks.at(-1) ?? 1;
  const today = days.length - 1;
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.caption}>{title}</figcaption>
      <div className={classes.counts} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
            {formatNumber(tick)}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${days.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
        aria-hidden="true"
      >
        {ticks.map((tick) => (
          <line key={tick} x2={days.length} {...levelOf(tick, top)} className={classes.level} />
        ))}
        {days.map(({ date, count }, index) => {
          const height = count === 0 ? 0 : Math.max(3, (count / top) * HEIGHT);
          return (
            <rect
              key={date}
              x={index + GAP / 2}
              y={HEIGHT - height}
              width={1 - GAP}
              height={height}
              className={classes.bar}
            >
              <title>{`${calendarDay(date)}: ${formatNumber(count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={classes.dates} aria-hidden="true">
        {days.map(({ date }, index) => {
          if ((today - index) % DAYS_OF_WEEK !== 0) return null;
          return (
            <span key={date} style={{ right: `${((today - index) / days.length) * 100}%` }}>
              {shortDay.format(new Date(date))}
            </span>
          );
        })}
      </div>
      {/* A table ignores the height of its class, and would extend the page. */}
      <div className="visually-hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {days.map(({ date, count }) => (
              <tr key={date}>
                <th scope="row">{calendarDay(date)}</th>
                <td>{formatNumber(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** The ends of the line of a tick, whole within the picture. */
function levelOf(tick: number, top: number): { y1: number; y2: number } {
  const y = Math.min(HEIGHT - 0.5, Math.max(0.5, HEIGHT * (1 - tick / top)));
  return { y1: y, y2: y };
}
