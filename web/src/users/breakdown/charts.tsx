import { formatNumber } from '../../texts/format.ts';
import { locale } from '../../texts/language.ts';
import { t } from '../../texts/texts.ts';
import type { Condition } from '../filters/condition.ts';
import { type Bar, type Breakdown, boundLabel, endLabel } from './bars.ts';
import classes from './breakdown.module.css';

interface ChartProps {
  bars: readonly Bar[];
  /** The number of users of 100 %. */
  total: number;
  onPress: (conditions: Condition[]) => void;
}

/** More values than this may be in several columns. */
const MANY = 8;
/** The most pixels of a column. */
const COLUMN_WIDTH = 56;

const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const shareOf = (count: number, total: number): string => percent.format(count / Math.max(1, total));

/** One row for each value, with its bar. */
export function ValueBars({ bars, total, onPress }: ChartProps) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ul className={`${classes.values} ${bars.length > MANY ? classes.many : classes.aligned}`}>
      {bars.map((bar) => (
        <li key={`${bar.conditions?.[0]?.operator ?? 'other'} ${bar.label}`}>
          <BarButton bar={bar} className={classes.value ?? ''} onPress={onPress}>
            <span className={classes.label}>{bar.label}</span>
            <svg className={classes.track} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect className={classes.bar} width={(bar.count / most) * 100} height={10} />
            </svg>
            <span className={classes.count}>
              {formatNumber(bar.count)} <span className={classes.share}>{shareOf(bar.count, total)}</span>
            </span>
          </BarButton>
        </li>
      ))}
    </ul>
  );
}

/** One column for each range. */
export function Histogram({ bars, ranges, total, onPress }: ChartProps & { ranges: NonNullable<Breakdown['ranges']> }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const lastRange = ranges.at(-1);
  return (
    <figure className={classes.histogram} style={{ maxWidth: Math.max(260, bars.length * COLUMN_WIDTH) }}>
      <ul className={classes.columns}>
        {bars.map((bar) => (
          <li key={bar.label}>
            <BarButton
              bar={bar}
              className={classes.column ?? ''}
              label={t.users.breakdown.bar(bar.label, bar.count, shareOf(bar.count, total))}
              onPress={onPress}
            >
              <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
                <rect className={classes.bar} {...columnOf(bar.count, most)} width={10} />
              </svg>
            </BarButton>
          </li>
        ))}
      </ul>
      <figcaption className={classes.axis}>
        <span>{boundLabel(ranges[0]?.from)}</span>
        <span>{t.users.breakdown.highest(most)}</span>
        <span>{endLabel(lastRange?.to)}</span>
      </figcaption>
    </figure>
  );
}

/** A bar that represents users is visible. */
function columnOf(count: number, most: number): { y: number; height: number } {
  const height = count === 0 ? 0 : Math.max(3, (count / most) * 100);
  return { y: 100 - height, height };
}

interface BarButtonProps {
  bar: Bar;
  className: string;
  label?: string;
  onPress: ChartProps['onPress'];
  children: React.ReactNode;
}

function BarButton({ bar: { conditions }, className, label, onPress, children }: BarButtonProps) {
  if (!conditions) {
    return (
      <span className={className} title={label}>
        {children}
        {label && <span className="visually-hidden">{label}</span>}
      </span>
    );
  }
  return (
    <button type="button" className={className} title={label} aria-label={label} onClick={() => onPress(conditions)}>
      {children}
    </button>
  );
}
