import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../texts/texts.ts';
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

/** @param of what the list shows: another list begins at its first page */
export function useCursorPages(of = ''): CursorPages {
  // The cursors of the pages before this one, and of this one.
  const [kept, setKept] = useState<{ of: string; cursors: Cursor[] }>({ of, cursors: [undefined] });
  const cursors = kept.of === of ? kept.cursors : [undefined];
  const setCursors = (next: Cursor[]): void => setKept({ of, cursors: next });
  return {
    cursor: cursors.at(-1),
    isFirst: cursors.length === 1,
    goNewer: () => setCursors(cursors.slice(0, -1)),
    goOlder: (next) => setCursors([...cursors, next]),
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
