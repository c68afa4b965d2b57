import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { t } from '../../texts/first-texts.ts';
import { LeftIcon, RightIcon } from '../icons.tsx';
import card from '../page/card.module.css';
import classes from './cursor-pager.module.css';

type Cursor = string | undefined;

/** The pages of a list, newest first, that are read with cursors. */
interface CursorPages {
  /** The cursor of the page to show; undefined for the first one. */
  cursor: Cursor;
  isFirst: boolean;
  goNewer: () => void;
  goOlder: (next: Cursor) => void;
}

/**
 * The URL has the number of the page, and the history state the cursors of the pages, by number. A
 * page without a cursor is the first: a link can name no other one.
 */
export function useCursorPages(): CursorPages {
  const [searchParams, setSearchParams] = useSearchParams();
  const { cursors = {} } = useHistoryState<{ cursors?: Record<number, string | undefined> } | null>() ?? {};
  const named = Number(searchParams.get('page'));
  const cursor = cursors[named];
  const page = cursor === undefined ? 1 : named;
  const goTo = (next: number, of: Cursor): void => {
    const others = [...searchParams].filter(([name]) => name !== 'page');
    setSearchParams(next === 1 ? others : [...others, ['page', String(next)]], {
      state: { cursors: { ...cursors, [next]: of } },
    });
  };
  return {
    cursor,
    isFirst: page === 1,
    goNewer: () => goTo(page - 1, cursors[page - 1]),
    // While the older page loads, the one before it is shown.
    goOlder: (next) => next !== cursor && goTo(page + 1, next),
  };
}

interface CursorPagerProps {
  pages: CursorPages;
  /** The page that is shown; undefined while it is loading. */
  shown: { next?: Cursor } | undefined;
}

/** Buttons for the adjacent pages, if there are any. */
export function CursorPager({ pages: { isFirst, goNewer, goOlder }, shown }: CursorPagerProps) {
  if (!shown || (isFirst && !shown.next)) return null;
  return (
    <nav className={classes.pager} aria-label={t.components.pages}>
      <Button variant="default" size="xs" disabled={isFirst} leftSection={<LeftIcon size={14} />} onClick={goNewer}>
        {t.components.newer}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={!shown.next}
        rightSection={<RightIcon size={14} />}
        onClick={() => goOlder(shown.next)}
      >
        {t.components.older}
      </Button>
    </nav>
  );
}

interface MoreProps {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  /** The label of the button. */
  children: string;
}

/** A button below a list that reads its next page, if there is one. */
export function More({ list: { hasNextPage, isFetchingNextPage, fetchNextPage }, children }: MoreProps) {
  if (!hasNextPage) return null;
  return (
    <div className={card.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
