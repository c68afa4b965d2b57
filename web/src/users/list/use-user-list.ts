import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import type { UserRecord } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import { type ListParameters, orderOf } from './list-parameters.ts';

/** How often a visible page requests the newest users, at most. */
const POLL_INTERVAL_MS = 5_000;
/**
 * The wait before the next poll, in durations of the last one: slow listings are repeated less
 * often.
 */
const WAIT_PER_DURATION = 10;
/** Requests that fail, for example while the service restarts, are repeated less often. */
const POLL_INTERVAL_AFTER_ERROR_MS = 30_000;

/** One response. A page consists of several while a search reads part by part. */
interface Answer {
  users: UserRecord[];
  next?: string | undefined;
  complete: boolean;
  tookMs: number;
}

export interface UserList {
  /** Undefined until the first answer. */
  users: UserRecord[] | undefined;
  /** The cursor of the next page. */
  next: string | undefined;
  /** `partial`: the page is not full and not all records were searched. */
  state: 'whole' | 'partial' | 'partlySorted';
  isSearching: boolean;
  /** Whether the previous page is shown while the next one is loading. */
  isStale: boolean;
  error: Error | null;
  stop: () => void;
  goOn: () => void;
  reload: () => Promise<unknown>;
}

/** Requests a page of users. A search continues until the page is full or the reader stops it. */
export function useUserList(scope: Scope, parameters: ListParameters, cursor: string | undefined): UserList {
  const { page, size, q, where } = parameters;
  const order = orderOf(parameters);
  const key = ['users', scopeParameter(scope), { page, size, q, where, ...order, cursor }] as const;
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: { limit: size, ...(cursor ? { cursor } : { skip: (page - 1) * size }) } as Place,
    queryFn: async ({ pageParam, signal }): Promise<Answer> => {
      const startedAt = performance.now();
      const query = { ...scopeParameter(scope), q, where, ...order, ...pageParam, total: 'none' };
      const body = await call('GET /auth/users', { query, signal });
      if (!('complete' in body)) throw new Error(t.users.summary.notAPage);
      const { users, next, complete } = body;
      return { users, next, complete, tookMs: performance.now() - startedAt };
    },
    getNextPageParam: ({ complete, next }, answers): Place | undefined => {
      const left = size - answers.reduce((sum, { users }) => sum + users.length, 0);
      return complete || next === undefined || left <= 0 ? undefined : { cursor: next, limit: left };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (state.status === 'error') return POLL_INTERVAL_AFTER_ERROR_MS;
      return pollInterval(state.data?.pages);
    },
    refetchOnWindowFocus: ({ state }) => pollInterval(state.data?.pages) === POLL_INTERVAL_MS,
  });

  const view = JSON.stringify(key);
  const [stoppedView, setStoppedView] = useState<string>();
  const { hasNextPage, isFetching, isPlaceholderData, error, fetchNextPage } = list;
  const goesOn = hasNextPage && !isPlaceholderData && stoppedView !== view && error === null;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);

  const answers = list.data?.pages;
  const last = answers?.at(-1);
  const users = useMemo(() => answers?.flatMap((answer) => answer.users), [answers]);
  return {
    users,
    next: hasNextPage ? undefined : last?.next,
    state: hasNextPage ? 'partial' : last?.complete === false && last.next !== undefined ? 'partlySorted' : 'whole',
    isSearching: goesOn,
    isStale: isPlaceholderData,
    error,
    stop: () => setStoppedView(view),
    goOn: () => setStoppedView(undefined),
    reload: list.refetch,
  };
}

/** The start of a response. */
type Place = { limit: number; cursor?: string; skip?: number };

/** When a page is requested again, in milliseconds; a search of several parts is not repeated. */
function pollInterval(answers: readonly Answer[] | undefined): number | false {
  const [first, ...others] = answers ?? [];
  if (first?.complete !== true || others.length > 0) return false;
  return Math.max(POLL_INTERVAL_MS, first.tookMs * WAIT_PER_DURATION);
}
