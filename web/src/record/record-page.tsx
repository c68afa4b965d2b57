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
import { formSettingsQuery } from '../connect/queries.ts';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { schemaVersionQuery, scopedSchemaQuery } from '../users/queries.ts';
import { type Scope, scopeParameter, usersPath } from '../users/scope.ts';
import { BackLink } from './back-link.tsx';
import { EraseUser } from './erase-user.tsx';
import { RecordView } from './record-view.tsx';

/** Shows one record under the schema version of its newest submission. */
export function RecordPage({ id, scope }: { id: string; scope: Scope }) {
  const [, navigate] = useLocation();
  const [erasing, setErasing] = useState(false);
  const record = useQuery({
    queryKey: ['user', id],
    queryFn: ({ signal }) => call('GET /auth/users/:id', { params: { id }, query: scopeParameter(scope), signal }),
  });
  const version = record.data?.schemaVersion;
  const schema = useQuery({ ...schemaVersionQuery(scope, version ?? 1), enabled: version !== undefined });
  const newest = useQuery(scopedSchemaQuery(scope));
  const settings = useQuery({ ...formSettingsQuery(scope.sourceAppId), refetchInterval: false });

  if (record.error instanceof ApiError && [400, 404].includes(record.error.status))
    return <UserNotFound path={usersPath(scope)} />;
  const error = record.error ?? schema.error;
  if (error) return <LoadError error={error} onRetry={() => Promise.all([record.refetch(), schema.refetch()])} />;
  if (!record.data || !schema.data) return <PageSkeleton />;
  const { email, createdAt, updatedAt, confirmedAt } = record.data;
  return (
    <>
      <BackLink path={usersPath(scope)} />
      <PageHeader
        title={email}
        note={
          <>
            Created <Time at={createdAt} /> · Updated <Time at={updatedAt} />
            {confirmedAt !== undefined && (
              <>
                {' · '}Email confirmed <Time at={confirmedAt} />
              </>
            )}
            {confirmedAt === undefined && settings.data?.settings.doubleOptIn && ' · Email not confirmed'}
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
        scope={scope}
        opened={erasing}
        onClose={() => setErasing(false)}
        onErased={() => navigate(usersPath(scope), { replace: true })}
      />
    </>
  );
}

function UserNotFound({ path }: { path: string }) {
  return (
    <>
      <PageHeader title="User not found" />
      <EmptyState
        title="No user has this ID"
        action={
          <Button component={Link} href={path}>
            Go to users
          </Button>
        }
      >
        The user may have been erased or may belong to another app.
      </EmptyState>
    </>
  );
}
