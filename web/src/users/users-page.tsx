import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Empty } from '../components/empty.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Pager } from '../components/pager.tsx';
import { Retry } from '../components/retry.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { useUserColumns } from './columns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { isFiltered, type ListParameters, PAGE_SIZES, useListParameters } from './list-parameters.ts';
import { schemaQuery, usersQuery } from './queries.ts';
import { Submissions } from './submissions.tsx';
import { Toolbar } from './toolbar.tsx';
import classes from './users-page.module.css';
import { UsersTable } from './users-table.tsx';

/** An operator's start page: who has submitted, newest first. */
export function UsersPage({ sourceAppId }: { sourceAppId: string }) {
  const [parameters, change] = useListParameters();
  const list = useQuery(usersQuery(parameters));
  const schema = useQuery(schemaQuery);
  const columns = useUserColumns(sourceAppId, schema.data?.fields);
  const error = list.error ?? schema.error;
  const total = list.data?.total;

  return (
    <>
      <PageHeader title="Users" note={`Everyone who submitted to ${sourceAppId}`}>
        <ColumnChooser columns={columns} />
        <ExportMenu parameters={parameters} total={total} />
      </PageHeader>
      <Submissions />
      <section className={classes.card} aria-label="List of users">
        <Toolbar parameters={parameters} change={change} fields={schema.data?.fields ?? []} />
        {error && <Retry error={error} onRetry={() => Promise.all([list.refetch(), schema.refetch()])} />}
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
      <Empty
        title="This page is past the end"
        action={<Button onClick={() => change({})}>Go to the first page</Button>}
      >
        Users may have been erased since the page was opened.
      </Empty>
    );
  }
  if (isFiltered(parameters)) {
    return (
      <Empty
        title="No user matches"
        action={
          <Button variant="default" onClick={() => change({ search: '', field: '', value: '' })}>
            Show all users
          </Button>
        }
      >
        The search looks for a part of the email; a filter wants the whole value of a field.
      </Empty>
    );
  }
  return (
    <Empty
      title="No users yet"
      action={
        <Button component={Link} href="/connect">
          Connect your form
        </Button>
      }
    >
      As soon as someone submits, they appear here by themselves. Connect your form to send the first submission.
    </Empty>
  );
}
