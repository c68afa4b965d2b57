import { ActionIcon, Badge, Button, Menu, Table } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { AppRecord } from '../api/endpoints.ts';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import {
  HeldIcon,
  KeyIcon,
  LockIcon,
  MenuIcon,
  PlugIcon,
  PlusIcon,
  TrashIcon,
  UsersIcon,
} from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { SortHeader } from '../components/sort-header.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import classes from './apps-page.module.css';
import { CreateApp } from './create-app.tsx';
import { DeleteApp } from './delete-app.tsx';
import { type AppOrder, appPagesQuery, appStatsQuery } from './queries.ts';
import { RotatePassword } from './rotate-password.tsx';

/** `users` and `lastSubmissionAt` are undefined until the statistics are loaded. */
type AppRow = AppRecord & { users: number | undefined; lastSubmissionAt: string | null | undefined };
/** The most characters of an app ID. */
const MAX_ID_LENGTH = 80;

type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'delete'; app: AppRow };

/** The administrator's start page: lists all apps with their actions. */
export function AppsPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const q = searchParams.get('q') ?? '';
  const order = orderOf(searchParams);
  const go = (change: { q?: string } & Partial<AppOrder>): void => {
    const next = { q, ...order, ...change };
    const isDefault = next.sort === 'sourceAppId' && next.order === 'asc';
    const { q: text, ...ordered } = next;
    setSearchParams([...(text === '' ? [] : [['q', text]]), ...(isDefault ? [] : Object.entries(ordered))], {
      replace: true,
    });
  };
  const apps = useInfiniteQuery(appPagesQuery(q, order));
  const stats = useQueries({
    queries: (apps.data?.pages ?? []).map((page) => appStatsQuery(page.apps.map(({ sourceAppId }) => sourceAppId))),
  });
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setDialog({ kind: 'create' })}>
      Create app
    </Button>
  );

  const statsByApp = new Map(stats.flatMap(({ data }) => data?.apps ?? []).map((entry) => [entry.sourceAppId, entry]));
  const rows = apps.data?.pages
    .flatMap((page) => page.apps)
    .map((app): AppRow => {
      const ofApp = statsByApp.get(app.sourceAppId);
      return { ...app, users: ofApp?.users, lastSubmissionAt: ofApp?.lastSubmissionAt };
    });
  const isWhole = q === '' && !apps.hasNextPage && !apps.isPlaceholderData;
  const onlyAdmins = isWhole && rows?.every(({ role }) => role === 'admin');
  return (
    <>
      <PageHeader title="Apps" note="Each app has its own users and its own schema">
        {create}
      </PageHeader>
      {apps.error && <LoadError error={apps.error} onRetry={apps.refetch} />}
      <section className={classes.card} aria-label="List of apps">
        <search className={classes.search}>
          <SearchBox label="Search apps" value={q} maxLength={MAX_ID_LENGTH} onChange={(text) => go({ q: text })} />
        </search>
        {!rows && !apps.error && <TableSkeleton rows={5} />}
        {rows && rows.length > 0 && <AppsTable rows={rows} order={order} onSort={go} onOpenDialog={setDialog} />}
        {rows?.length === 0 && (
          <EmptyState
            title="No apps match"
            action={
              <Button variant="default" onClick={() => setSearchParams([])}>
                Show all apps
              </Button>
            }
          >
            The search matches any part of the app ID.
          </EmptyState>
        )}
        {apps.hasNextPage && (
          <div className={classes.more}>
            <Button variant="default" loading={apps.isFetchingNextPage} onClick={() => void apps.fetchNextPage()}>
              Show more apps
            </Button>
          </div>
        )}
        {onlyAdmins && (
          <EmptyState title="Create your first app" action={create}>
            Forms, sites and devices submit users to an app. Create an app, define its fields, then copy the ready-made
            code into your form.
          </EmptyState>
        )}
      </section>
      <CreateApp opened={dialog?.kind === 'create'} onClose={close} />
      <RotatePassword app={dialog?.kind === 'rotate' ? dialog.app : undefined} onClose={close} />
      <DeleteApp app={dialog?.kind === 'delete' ? dialog.app : undefined} onClose={close} />
    </>
  );
}

interface AppsTableProps {
  rows: AppRow[];
  order: AppOrder;
  onSort: (order: AppOrder) => void;
  onOpenDialog: (dialog: OpenDialog) => void;
}

function AppsTable({ rows, order, onSort, onOpenDialog }: AppsTableProps) {
  const header = (sort: AppOrder['sort'], name: string) => (
    <SortHeader
      name={name}
      sorted={order.sort === sort ? order.order : undefined}
      first={sort === 'sourceAppId' ? 'asc' : 'desc'}
      onSort={(next) => onSort({ sort, order: next })}
    />
  );
  return (
    <DataTable
      label="Table of apps"
      className={classes.scroll}
      head={
        <>
          {header('sourceAppId', 'App')}
          <Table.Th>Role</Table.Th>
          <Table.Th className={classes.right ?? ''}>Users</Table.Th>
          {header('lastSubmissionAt', 'Last submission')}
          {header('createdAt', 'Created')}
          <ActionsHeader />
        </>
      }
    >
      {rows.map((app) => (
        <Table.Tr key={app.sourceAppId}>
          <Table.Td>
            <Link href={`/apps/${app.sourceAppId}`} className={classes.name ?? ''}>
              {app.sourceAppId}
            </Link>
          </Table.Td>
          <Table.Td>
            <Badge variant="light" color={app.role === 'admin' ? 'indigo' : 'gray'} tt="none">
              {app.role}
            </Badge>
          </Table.Td>
          <Table.Td className={classes.right ?? ''}>{app.users?.toLocaleString() ?? '…'}</Table.Td>
          <Table.Td>{app.lastSubmissionAt ? <Time at={app.lastSubmissionAt} relative /> : '–'}</Table.Td>
          <Table.Td>
            <Time at={app.createdAt} relative />
          </Table.Td>
          <Table.Td className={classes.right ?? ''}>
            <AppMenu app={app} onOpenDialog={onOpenDialog} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function AppMenu({ app, onOpenDialog }: { app: AppRow; onOpenDialog: (dialog: OpenDialog) => void }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${app.sourceAppId}`}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/users`} leftSection={<UsersIcon size={16} />}>
          View users
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/connect`} leftSection={<PlugIcon size={16} />}>
          Connect a form
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/privacy`} leftSection={<LockIcon size={16} />}>
          Privacy and retention
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/held`} leftSection={<HeldIcon size={16} />}>
          Held submissions
        </Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => onOpenDialog({ kind: 'rotate', app })}>
          Rotate password
        </Menu.Item>
        {app.role !== 'admin' && (
          <Menu.Item
            leftSection={<TrashIcon size={16} />}
            c="var(--mantine-color-error)"
            onClick={() => onOpenDialog({ kind: 'delete', app })}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function orderOf(searchParams: URLSearchParams): AppOrder {
  const sort = searchParams.get('sort');
  return {
    sort: sort === 'createdAt' || sort === 'lastSubmissionAt' ? sort : 'sourceAppId',
    order: searchParams.get('order') === 'desc' ? 'desc' : 'asc',
  };
}
