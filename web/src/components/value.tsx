import { Badge, Text } from '@mantine/core';
import { CheckIcon } from './icons.tsx';
import { calendarDay, Time } from './time.tsx';
import classes from './value.module.css';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}/;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20, useGrouping: false });

/**
 * A stored value, short enough for a cell. Whatever it holds stays text: it comes from the public, so it never becomes markup, an address to follow or a formula.
 */
export function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <Nothing />;
  if (value === true) return <Ticked />;
  if (value === false)
    return (
      <Text span size="sm" c="dimmed">
        No
      </Text>
    );
  if (typeof value === 'number') return <span className={classes.number}>{number.format(value)}</span>;
  if (Array.isArray(value))
    return (
      <Badge variant="light" color="gray" tt="none">
        {items(value.length)}
      </Badge>
    );
  if (typeof value !== 'string') return <code className={classes.cut}>{JSON.stringify(value)}</code>;
  if (value === '') return <Nothing />;
  if (DAY.test(value)) return <>{calendarDay(value)}</>;
  if (MOMENT.test(value)) return <Time at={value} />;
  return (
    <span className={classes.cut} title={value}>
      {value}
    </span>
  );
}

export function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function Nothing() {
  return (
    <Text span size="sm" c="dimmed">
      <span aria-hidden="true">–</span>
      <span className="unseen">nothing</span>
    </Text>
  );
}

function Ticked() {
  return (
    <span className={classes.ticked}>
      <CheckIcon size={16} /> Yes
    </span>
  );
}
