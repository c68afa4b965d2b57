import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, call } from '../api/call.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { TrashIcon } from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Time } from '../components/time.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { schemaQuery, schemaVersionQuery } from '../users/queries.ts';
import { BackLink } from './back-link.tsx';
import { EraseUser } from './erase-user.tsx';
import { RecordView } from './record-view.tsx';

/** Shows one record under the schema version of its newest submission. */
export function RecordPage({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const [erasing, setErasing] = useState(false);
  const record = useQuery({
    queryKey: ['user', id],
    queryFn: ({ signal }) => call('GET /auth/users/:id', { params: { id }, signal }),
  });
  const version = record.data?.schemaVersion;
  const schema = useQuery({ ...schemaVersionQuery(version ?? 1), enabled: version !== undefined });
  const newest = useQuery(schemaQuery);

  if (record.error instanceof ApiError && [400, 404].includes(record.error.status)) return <UserNotFound />;
  const error = record.error ?? schema.error;
  if (error) return <LoadError error={error} onRetry={() => Promise.all([record.refetch(), schema.refetch()])} />;
  if (!record.data || !schema.data) return <PageSkeleton />;
  const { email, createdAt, updatedAt } = record.data;
  return (
    <>
      <BackLink />
      <PageHeader
        title={email}
        note={
          <>
            Created <Time at={createdAt} /> · Updated <Time at={updatedAt} />
          </>
        }
      >
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<TrashIcon size={16} />}
          onClick={() => setErasing(true)}
        >
          Erase user
        </Button>
      </PageHeader>
      <RecordView record={record.data} schema={schema.data} newestVersion={newest.data?.version} />
      <EraseUser
        user={record.data}
        opened={erasing}
        onClose={() => setErasing(false)}
        onErased={() => navigate('/users', { replace: true })}
      />
    </>
  );
}

function UserNotFound() {
  return (
    <>
      <PageHeader title="User not found" />
      <EmptyState
        title="No user has this ID"
        action={
          <Button component={Link} href="/users">
            Go to users
          </Button>
        }
      >
        The user may have been erased or may belong to another app.
      </EmptyState>
    </>
  );
}
