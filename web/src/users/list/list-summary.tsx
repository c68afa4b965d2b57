import { Button, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count as countOf } from '../../components/count.ts';
import classes from './list.module.css';
import { countWords, type useUserCount } from './use-user-count.ts';
import type { UserList } from './use-user-list.ts';

interface ListSummaryProps {
  counted: ReturnType<typeof useUserCount>;
  isOfFilter: boolean;
  children: ReactNode;
}

/** The number of users above the table, and the actions on all of them. */
export function ListSummary({ counted: { count, isCounting, countExactly }, isOfFilter, children }: ListSummaryProps) {
  if (!count || count.total === 0) return null;
  return (
    <div className={classes.summary}>
      <Text size="sm" fw={600} aria-live="polite">
        {countWords(count, isOfFilter)}
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
      <span className={classes.space} />
      {children}
    </div>
  );
}

/** Tells how far a search has come, with a button to stop it or to go on. */
export function SearchProgress({ list }: { list: UserList }) {
  if (list.state === 'whole') return null;
  return (
    <div className={classes.progress} role="status">
      {list.isSearching && <Loader size={14} aria-hidden="true" />}
      <Text size="sm">
        {list.state === 'partlySorted'
          ? 'Sorted among the records that were searched. An indexed field is sorted among all.'
          : `Searched part of the records: ${countOf(list.users?.length ?? 0, 'match', 'matches')} on this page so far`}
      </Text>
      {list.state === 'partial' && (
        <Button variant="default" size="compact-sm" onClick={list.isSearching ? list.stop : list.goOn}>
          {list.isSearching ? 'Stop' : 'Continue'}
        </Button>
      )}
    </div>
  );
}
