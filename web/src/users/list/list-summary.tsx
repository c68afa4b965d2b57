import { Button, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import type { Target } from '../filters/condition.ts';
import { IndexOffer } from '../index-offer.tsx';
import type { Scope } from '../scope.ts';
import classes from './list.module.css';
import { countWords, type useUserCount } from './use-user-count.ts';
import type { UserList } from './use-user-list.ts';

interface ListSummaryProps {
  counted: ReturnType<typeof useUserCount>;
  isOfFilter: boolean;
  children: ReactNode;
}

/** The number of users above the table, and the actions on all of them. Reserves its place. */
export function ListSummary({ counted, isOfFilter, children }: ListSummaryProps) {
  const { count, isCounting, countExactly, isTooLong } = counted;
  return (
    <div className={`${classes.summary} icons-on-phone`}>
      <Text fw={600} aria-live="polite">
        {count && countWords(count, isOfFilter)}
      </Text>
      {countExactly && (
        <Button variant="subtle" size="compact-sm" onClick={countExactly}>
          {t.users.summary.countExactly}
        </Button>
      )}
      {isCounting && (
        <Text c="dimmed" role="status">
          {t.users.summary.counting}
        </Text>
      )}
      {isTooLong && <Text c="dimmed">{t.users.summary.noTime}</Text>}
      <span className={classes.space} />
      {children}
    </div>
  );
}

/** Shows the progress of a search, with a button that stops or continues it. */
export function SearchProgress({ list }: { list: UserList }) {
  if (list.state !== 'partial') return null;
  return (
    <div className={classes.progress} role="status">
      {list.isSearching && <Loader size={14} aria-hidden="true" />}
      <Text>{t.users.summary.searched(list.users?.length ?? 0)}</Text>
      <Button variant="default" size="compact-sm" onClick={list.isSearching ? list.stop : list.goOn}>
        {list.isSearching ? t.users.summary.stop : t.users.summary.continue}
      </Button>
    </div>
  );
}

/** Explains above the table where letters with accents are in the order of a text. */
export function SortedByText({ target: { path, type } }: { target: Target }) {
  if (path === 'email' || (type !== 'text' && type !== 'choice')) return null;
  return (
    <Text size="xs" c="dimmed" px="md" pb="xs">
      {t.users.summary.sortedByText}
    </Text>
  );
}

/** Explains above the table that the order is not that of all records. */
export function SortedInPart({ scope, target }: { scope: Scope; target: Target }) {
  return (
    <div className={classes.progress} role="status">
      <Text>
        {t.users.summary.sortedInPart}
        {target.index === 'possible' && ` ${t.users.summary.indexSortsAll}`}
      </Text>
      <Text component="span">
        <IndexOffer scope={scope} targets={[target]} />
      </Text>
    </div>
  );
}
