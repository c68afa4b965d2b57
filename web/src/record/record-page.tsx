import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, Refusal } from '../api/call.ts';
import { Empty } from '../components/empty.tsx';
import { TrashIcon } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Retry } from '../components/retry.tsx';
import { Time } from '../components/time.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { schemaQuery, schemaVersionQuery } from '../users/queries.ts';
import { Back } from './back.tsx';
import { EraseUser } from './erase-user.tsx';
import { RecordView } from './record-view.tsx';

/** All that is stored of one person, as the schema of the time means it. */
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

  if (record.error instanceof Refusal && [400, 404].includes(record.error.status)) return <Gone />;
  const error = record.error ?? schema.error;
  if (error) return <Retry error={error} onRetry={() => Promise.all([record.refetch(), schema.refetch()])} />;
  if (!record.data || !schema.data) return <PageSkeleton />;
  const { email, createdAt, updatedAt } = record.data;
  return (
    <>
      <Back />
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
          Erase this person
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

function Gone() {
  return (
    <>
      <PageHeader title="No such user" />
      <Empty
        title="This user is not here"
        action={
          <Button component={Link} href="/users">
            Go to the users
          </Button>
        }
      >
        They may have been erased, or the link belongs to another app.
      </Empty>
    </>
  );
}
