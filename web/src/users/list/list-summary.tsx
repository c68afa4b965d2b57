import { Button, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count as countOf } from '../../components/count.ts';
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
    <div className={classes.summary}>
      <Text size="sm" fw={600} aria-live="polite">
        {count && countWords(count, isOfFilter)}
      </Text>
      {countExactly && (
        <Button variant="subtle" size="compact-sm" onClick={countExactly}>
          Count exactly
        </Button>
      )}
      {isCounting && (
        <Text size="sm" c="dimmed" role="status">
          Counting…
        </Text>
      )}
      {isTooLong && (
        <Text size="sm" c="dimmed">
          There was no time to count them all.
        </Text>
      )}
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
      <Text size="sm">
        {`Searched part of the records: ${countOf(list.users?.length ?? 0, 'match', 'matches')} on this page so far`}
      </Text>
      <Button variant="default" size="compact-sm" onClick={list.isSearching ? list.stop : list.goOn}>
        {list.isSearching ? 'Stop' : 'Continue'}
      </Button>
    </div>
  );
}

/** Explains above the table that the order is not that of all records. */
export function SortedInPart({ scope, target }: { scope: Scope; target: Target }) {
  return (
    <div className={classes.progress} role="status">
      <Text size="sm">
        Sorted among the records that were read in time. The next pages go on with the others.
        {target.index === 'possible' && ' An index sorts all of them.'}
      </Text>
      <Text size="sm" component="span">
        <IndexOffer scope={scope} targets={[target]} />
      </Text>
    </div>
  );
}
