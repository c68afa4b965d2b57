import { ActionIcon, Badge, Button, Menu, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AppRecord } from '../api/endpoints.ts';
import { Empty } from '../components/empty.tsx';
import { KeyIcon, MenuIcon, PlugIcon, PlusIcon, TrashIcon, UsersIcon } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Retry } from '../components/retry.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import classes from './apps-page.module.css';
import { CreateApp } from './create-app.tsx';
import { DeleteApp } from './delete-app.tsx';
import { adminStatsQuery, appsQuery } from './queries.ts';
import { RotatePassword } from './rotate-password.tsx';

/** `users` is undefined while the numbers are not there. */
type AppRow = AppRecord & { users: number | undefined; lastSubmissionAt: string | null | undefined };
type Task = { kind: 'create' } | { kind: 'rotate' | 'delete'; app: AppRow };

/** An administrator's start page: every app, and what can be done with it. */
export function AppsPage() {
  const apps = useQuery(appsQuery);
  const stats = useQuery(adminStatsQuery);
  const [task, setTask] = useState<Task>();
  const close = (): void => setTask(undefined);
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setTask({ kind: 'create' })}>
      Create an app
    </Button>
  );

  const numbers = new Map(stats.data?.apps.map((entry) => [entry.sourceAppId, entry]));
  const rows = apps.data?.apps.map((app): AppRow => {
    const known = numbers.get(app.sourceAppId);
    return { ...app, users: known?.users, lastSubmissionAt: known?.lastSubmissionAt };
  });
  const onlyAdmins = rows?.every(({ role }) => role === 'admin');
  return (
    <>
      <PageHeader title="Apps" note="Each app collects its own users under its own schema">
        {create}
      </PageHeader>
      {apps.error && <Retry error={apps.error} onRetry={apps.refetch} />}
      <section className={classes.card} aria-label="List of apps">
        {!rows && !apps.error && <TableSkeleton rows={5} />}
        {rows && <AppsTable rows={rows} onTask={setTask} />}
        {onlyAdmins && (
          <Empty title="Create your first app" action={create}>
            An app is what a form, a site or a device submits to. Next you design its fields, and then you copy a
            snippet into your form.
          </Empty>
        )}
      </section>
      <CreateApp opened={task?.kind === 'create'} onClose={close} />
      <RotatePassword app={task?.kind === 'rotate' ? task.app : undefined} onClose={close} />
      <DeleteApp app={task?.kind === 'delete' ? task.app : undefined} onClose={close} />
    </>
  );
}

function AppsTable({ rows, onTask }: { rows: AppRow[]; onTask: (task: Task) => void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by key
    <section className={classes.scroll} tabIndex={0} aria-label="Table of apps">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>App</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th className={classes.right ?? ''}>Users</Table.Th>
            <Table.Th>Last submission</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>
              <span className="unseen">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
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
                <AppMenu app={app} onTask={onTask} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function AppMenu({ app, onTask }: { app: AppRow; onTask: (task: Task) => void }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${app.sourceAppId}`}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          href={`/users?sourceAppId=${app.sourceAppId}`}
          leftSection={<UsersIcon size={16} />}
        >
          Users
        </Menu.Item>
        <Menu.Item component={Link} href={`/apps/${app.sourceAppId}/connect`} leftSection={<PlugIcon size={16} />}>
          Connect a form
        </Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => onTask({ kind: 'rotate', app })}>
          New password
        </Menu.Item>
        {app.role !== 'admin' && (
          <Menu.Item
            leftSection={<TrashIcon size={16} />}
            c="var(--mantine-color-error)"
            onClick={() => onTask({ kind: 'delete', app })}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
