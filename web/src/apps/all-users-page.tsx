import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { More } from '../components/table/cursor-pager.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import { Pager, pageRange } from '../components/table/pager.tsx';
import { SearchBox } from '../components/table/search-box.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { recordPath, usersPath } from '../users/scope.ts';
import classes from './apps-page.module.css';

type UserOfApp = ResponseBody<'GET /auth/admin/users'>['users'][number];

const SIZES = [25, 50, 100, 200];
const POLL_INTERVAL_MS = 5_000;

/** Lists and searches the users of all apps. For administrators. */
export default function AllUsersPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const q = searchParams.get('q') ?? '';
  return (
    <>
      <PageHeader title={t.apps.allUsers} note={t.apps.allUsersNote} />
      <section className={card.card} aria-label={t.apps.listOfUsers}>
        <search className={classes.search}>
          <SearchBox
            label={t.apps.searchUsers}
            value={q}
            onChange={(text) => setSearchParams(text === '' ? [] : [['q', text]], { replace: true })}
          />
        </search>
        {q === '' ? <NewestUsers /> : <FoundUsers q={q} />}
      </section>
    </>
  );
}

function NewestUsers() {
  const [searchParams, setSearchParams] = useSearchParams();
  const page = Math.max(1, Number(searchParams.get('page')) || 1);
  const size = SIZES.find((known) => known === Number(searchParams.get('size'))) ?? 50;
  const go = (change: { page?: number; size?: number }): void => {
    const next = { size, page: 1, ...change };
    setSearchParams(Object.entries(next).map(([name, value]) => [name, String(value)]));
  };
  const list = useQuery({
    queryKey: ['all-users', { page, size }],
    queryFn: ({ signal }) => call('GET /auth/admin/users', { query: { limit: size, skip: (page - 1) * size }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_INTERVAL_MS,
  });
  return (
    <>
      {list.error && <LoadError error={list.error} onRetry={list.refetch} />}
      {!list.data && !list.error && <TableSkeleton rows={8} />}
      {list.data && list.data.users.length > 0 && <Rows users={list.data.users} />}
      {list.data?.users.length === 0 && (
        <EmptyState
          subject={page > 1 ? 'search' : 'users'}
          title={page > 1 ? t.apps.noUsersOnPage : t.apps.noUsers}
          action={page > 1 && <Button onClick={() => go({})}>{t.apps.goToFirstPage}</Button>}
        >
          {page > 1 ? t.apps.noUsersOnPageNote : t.apps.noUsersNote}
        </EmptyState>
      )}
      {list.data && (page > 1 || list.data.users.length > 0) && (
        <Pager
          page={page}
          size={size}
          sizes={SIZES}
          range={pageRange(page, size, list.data.users.length)}
          isLast={list.data.users.length < size}
          onChange={go}
        />
      )}
    </>
  );
}

/** The users of all apps in which a text occurs: first those with it in their email. */
function FoundUsers({ q }: { q: string }) {
  const list = useInfiniteQuery({
    queryKey: ['all-users', 'found', q],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => call('GET /auth/admin/users', { query: { q, cursor: pageParam }, signal }),
    getNextPageParam: (answer) => ('next' in answer ? answer.next : undefined),
    placeholderData: keepPreviousData,
  });
  const users = list.data?.pages.flatMap((answer) => answer.users) ?? [];
  return (
    <>
      {list.error && <LoadError error={list.error} onRetry={list.refetch} />}
      {!list.data && !list.error && <TableSkeleton rows={8} />}
      {users.length > 0 && <Rows users={users} />}
      {list.data && users.length === 0 && (
        <EmptyState subject="search" title={list.hasNextPage ? t.apps.noUsersSoFar : t.apps.noUsersMatch}>
          {t.apps.noUsersMatchNote}
        </EmptyState>
      )}
      <More list={list}>{t.apps.searchOn}</More>
    </>
  );
}

function Rows({ users }: { users: UserOfApp[] }) {
  return (
    <DataTable
      label={t.apps.tableOfUsers}
      spacing="xs"
      rows={users}
      columns={[
        {
          name: t.common.email,
          className: classes.email,
          cell: (user) => (
            <Link href={recordPath(user, user.id)} className={classes.name ?? ''} title={user.email}>
              {user.email}
            </Link>
          ),
        },
        {
          name: t.apps.app,
          cell: (user) => (
            <Link href={usersPath(user)} className={classes.name ?? ''}>
              {user.sourceAppId}
            </Link>
          ),
        },
        { name: t.apps.schemaVersion, isNumber: true, cell: ({ schemaVersion }) => schemaVersion },
        { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
        { name: t.common.updated, cell: ({ updatedAt }) => <Time at={updatedAt} relative /> },
      ]}
    />
  );
}
