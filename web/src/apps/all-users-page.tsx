import { Button, Modal, NativeSelect, Table } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Pager } from '../components/pager.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import { RecordView } from '../record/record-view.tsx';
import classes from './apps-page.module.css';
import { appSchemaVersionQuery, appsQuery } from './queries.ts';

type UserOfApp = ResponseBody<'GET /auth/admin/users'>['users'][number];

const SIZES = [25, 50, 100, 200];
const POLL_INTERVAL_MS = 5_000;

/** Lists the users of all apps, or of one app, newest first. For administrators. */
export function AllUsersPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const [opened, setOpened] = useState<UserOfApp>();
  const sourceAppId = searchParams.get('sourceAppId') ?? '';
  const page = Math.max(1, Number(searchParams.get('page')) || 1);
  const size = SIZES.find((known) => known === Number(searchParams.get('size'))) ?? 50;
  const go = (change: { sourceAppId?: string; page?: number; size?: number }): void => {
    const next = { sourceAppId, size, page: 1, ...change };
    setSearchParams(Object.entries(next).map(([name, value]) => [name, String(value)]));
  };

  const apps = useQuery(appsQuery);
  const list = useQuery({
    queryKey: ['all-users', { sourceAppId, page, size }],
    queryFn: ({ signal }) =>
      call('GET /auth/admin/users', { query: { sourceAppId, limit: size, skip: (page - 1) * size }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_INTERVAL_MS,
  });
  const known = apps.data?.apps.map((app) => app.sourceAppId) ?? [];
  // The URL can contain an app that is not in the list.
  const options = sourceAppId === '' || known.includes(sourceAppId) ? known : [sourceAppId, ...known];
  return (
    <>
      <PageHeader title="All users" note="Users of every app, newest first">
        <NativeSelect
          aria-label="Filter by app"
          value={sourceAppId}
          data={[{ value: '', label: 'All apps' }, ...options.map((id) => ({ value: id, label: id }))]}
          onChange={(event) => go({ sourceAppId: event.currentTarget.value })}
        />
      </PageHeader>
      {list.error && <LoadError error={list.error} onRetry={list.refetch} />}
      <section className={classes.card} aria-label="List of users">
        {!list.data && !list.error && <TableSkeleton rows={8} />}
        {list.data && list.data.users.length > 0 && <Rows users={list.data.users} onOpen={setOpened} />}
        {list.data?.users.length === 0 && (
          <EmptyState
            title={page > 1 ? 'No users on this page' : 'No users yet'}
            action={page > 1 && <Button onClick={() => go({})}>Go to first page</Button>}
          >
            {page > 1 ? 'The list has fewer pages.' : 'Users appear here when a form submits them.'}
          </EmptyState>
        )}
        {list.data && <Pager page={page} size={size} sizes={SIZES} shown={list.data.users.length} onChange={go} />}
      </section>
      <Modal opened={opened !== undefined} onClose={() => setOpened(undefined)} size="xl" title={opened?.email}>
        {opened && <RecordOfApp user={opened} />}
      </Modal>
    </>
  );
}

function Rows({ users, onOpen }: { users: UserOfApp[]; onOpen: (user: UserOfApp) => void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of users">
      <Table verticalSpacing="xs" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Email</Table.Th>
            <Table.Th>App</Table.Th>
            <Table.Th>Schema version</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Updated</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <Table.Tr key={user.id}>
              <Table.Td>
                <Button variant="transparent" size="compact-sm" p={0} onClick={() => onOpen(user)}>
                  {user.email}
                </Button>
              </Table.Td>
              <Table.Td>{user.sourceAppId}</Table.Td>
              <Table.Td>{user.schemaVersion}</Table.Td>
              <Table.Td>
                <Time at={user.createdAt} relative />
              </Table.Td>
              <Table.Td>
                <Time at={user.updatedAt} relative />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function RecordOfApp({ user }: { user: UserOfApp }) {
  const schema = useQuery(appSchemaVersionQuery(user.sourceAppId, user.schemaVersion));
  if (schema.error) return <LoadError error={schema.error} onRetry={schema.refetch} />;
  return schema.data ? <RecordView record={user} schema={schema.data} /> : <TableSkeleton rows={3} />;
}
