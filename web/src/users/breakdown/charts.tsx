import { formatNumber } from '../../texts/format.ts';
import { locale } from '../../texts/language.ts';
import { t } from '../../texts/texts.ts';
import type { Condition } from '../filters/condition.ts';
import { type Bar, type Breakdown, boundNames, endLabel, isOfDays } from './bars.ts';
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

/**
 * One row for each value, with its bar.
 *
 * @param full the number of users of a bar of full length; default: the highest count
 */
export function ValueBars({ bars, total, onPress, full }: ChartProps & { full?: number }) {
  const most = full ?? Math.max(1, ...bars.map(({ count }) => count));
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

/** One column for each range, between axes with ticks. */
export function Histogram({ bars, breakdown, total, onPress }: ChartProps & { breakdown: Breakdown }) {
  const { ranges = [] } = breakdown;
  const nameOf = boundNames(breakdown);
  const end = ranges.at(-1);
  const ticks = countTicks(Math.max(1, ...bars.map(({ count }) => count)));
  const top = ticks.at(-1) ?? 1;
  const named = namedRanges(ranges);
  return (
    <figure className={classes.histogram} style={{ maxWidth: Math.max(260, bars.length * COLUMN_WIDTH) }}>
      <div className={classes.counts} aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
            {formatNumber(tick)}
          </span>
        ))}
      </div>
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
                <rect className={classes.bar} {...columnOf(bar.count, top)} width={10} />
              </svg>
              {bar.count > 0 && (
                <span
                  className={classes.number}
                  style={{ bottom: `${columnOf(bar.count, top).height}%` }}
                  aria-hidden="true"
                >
                  {formatNumber(bar.count)}
                </span>
              )}
            </BarButton>
          </li>
        ))}
      </ul>
      <figcaption className={classes.bounds}>
        {named.map((index) => (
          <span key={index} style={{ left: `${(index / ranges.length) * 100}%` }}>
            {nameOf(ranges[index]?.from)}
          </span>
        ))}
        {end && <span className={classes.end}>{endLabel(end, nameOf)}</span>}
      </figcaption>
    </figure>
  );
}

/** The most ticks of an axis above 0, so that their labels stay apart on a phone. */
const MAX_TICKS = 4;

/** Round counts from 0 to at least the highest one. */
export function countTicks(most: number): number[] {
  const size = 10 ** Math.floor(Math.log10(most));
  const steps = [size / 10, size / 5, size / 2, size, size * 2, size * 5].filter(Number.isInteger);
  const step = steps.find((one) => most / one <= MAX_TICKS) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

/**
 * The ranges whose begin is named. The end of the last one is named too, so a label has no place
 * directly before it; a time of a day has no place beside another.
 */
function namedRanges(ranges: NonNullable<Breakdown['ranges']>): number[] {
  const hasTimes = ranges.some((range) => typeof range.from === 'string' && !isOfDays(range));
  const every = Math.ceil(ranges.length / (hasTimes ? 1 : MAX_TICKS));
  return ranges.flatMap((_, index) => {
    const hasPlace = index === 0 || ranges.length - index >= 1.5 * every;
    return index % every === 0 && hasPlace ? [index] : [];
  });
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
