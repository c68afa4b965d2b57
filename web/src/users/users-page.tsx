import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Pager } from '../components/pager.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { useUserColumns } from './columns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { isFiltered, type ListParameters, PAGE_SIZES, useListParameters } from './list-parameters.ts';
import { schemaQuery, usersQuery } from './queries.ts';
import { Toolbar } from './toolbar.tsx';
import { UserStats } from './user-stats.tsx';
import classes from './users-page.module.css';
import { UsersTable } from './users-table.tsx';

/** The operator's start page: lists the users of the app, newest first by default. */
export function UsersPage({ sourceAppId }: { sourceAppId: string }) {
  const [parameters, change] = useListParameters();
  const list = useQuery(usersQuery(parameters));
  const schema = useQuery(schemaQuery);
  const columns = useUserColumns(sourceAppId, schema.data?.fields);
  const error = list.error ?? schema.error;
  const total = list.data?.total;

  return (
    <>
      <PageHeader title="Users" note={`Users who submitted to ${sourceAppId}`}>
        <ColumnChooser columns={columns} />
        <ExportMenu parameters={parameters} total={total} />
      </PageHeader>
      <UserStats />
      <section className={classes.card} aria-label="List of users">
        <Toolbar parameters={parameters} change={change} fields={schema.data?.fields ?? []} />
        {error && <LoadError error={error} onRetry={() => Promise.all([list.refetch(), schema.refetch()])} />}
        {!error && !(list.data && schema.data) && <TableSkeleton rows={8} />}
        {list.data && schema.data && (
          <>
            {list.data.users.length > 0 && (
              <UsersTable
                users={list.data.users}
                columns={columns}
                parameters={parameters}
                change={change}
                stale={list.isPlaceholderData}
              />
            )}
            {list.data.users.length === 0 && <NoUsers parameters={parameters} change={change} total={total ?? 0} />}
            <Pager
              page={parameters.page}
              size={parameters.size}
              sizes={PAGE_SIZES}
              shown={list.data.users.length}
              total={list.data.total}
              onChange={change}
            />
          </>
        )}
      </section>
    </>
  );
}

function NoUsers({
  parameters,
  change,
  total,
}: {
  parameters: ListParameters;
  change: (part: Partial<ListParameters>) => void;
  total: number;
}) {
  if (total > 0) {
    return (
      <EmptyState title="No users on this page" action={<Button onClick={() => change({})}>Go to first page</Button>}>
        The list has fewer pages.
      </EmptyState>
    );
  }
  if (isFiltered(parameters)) {
    return (
      <EmptyState
        title="No users match"
        action={
          <Button variant="default" onClick={() => change({ search: '', field: '', value: '' })}>
            Show all users
          </Button>
        }
      >
        Filters match the exact value. The search matches any part of the email.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No users yet"
      action={
        <Button component={Link} href="/connect">
          Connect a form
        </Button>
      }
    >
      Users appear here when a form submits them. Connect a form to send the first submission.
    </EmptyState>
  );
}
