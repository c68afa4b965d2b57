import { Badge, Text } from '@mantine/core';
import { isIsoDate } from '#src/platform/text/iso-date.ts';
import { t } from '../../texts/first-texts.ts';
import { locale } from '../../texts/language.ts';
import { CheckIcon } from '../icons.tsx';
import { calendarDay, Time } from './time.tsx';
import classes from './value.module.css';

const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** Groups the digits of numbers from 10,000, so that years stay as they are. */
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: 'min2' });

/** Shows a stored value in a table cell, truncated, as text only: anybody can submit values. */
export function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <NoValue />;
  if (value === true) return <Checked />;
  if (value === false)
    return (
      <Text span c="dimmed">
        {t.components.no}
      </Text>
    );
  if (typeof value === 'number') return <span className={classes.number}>{number.format(value)}</span>;
  if (Array.isArray(value)) return <Badge color="gray">{t.common.items(value.length)}</Badge>;
  if (typeof value !== 'string') return <code className={classes.truncated}>{JSON.stringify(value)}</code>;
  if (value === '') return <NoValue />;
  if (isIsoDate(value)) return value.length === DAY_LENGTH ? calendarDay(value) : <Time at={value} />;
  return (
    <span className={classes.truncated} title={value}>
      {value}
    </span>
  );
}

function NoValue() {
  return (
    <Text span c="dimmed">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{t.components.noValue}</span>
    </Text>
  );
}

function Checked() {
  return (
    <span className={classes.checked}>
      <CheckIcon size={16} /> {t.components.yes}
    </span>
  );
}
