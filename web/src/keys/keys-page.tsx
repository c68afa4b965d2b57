import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ApiKey } from '../api/endpoints.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { LeftIcon, PlusIcon } from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import type { Scope } from '../users/scope.ts';
import { CreateKey } from './create-key.tsx';
import { KeyRows } from './key-rows.tsx';
import classes from './keys-page.module.css';
import { keysQuery, useDeleteKey } from './queries.ts';

/** The API keys of an app: creates and deletes them. */
export function KeysPage({ scope }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(keysQuery(scope));
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      Create API key
    </Button>
  );
  return (
    <>
      {scope.asAdmin && (
        <Link href={`/apps/${scope.sourceAppId}`} className={classes.back ?? ''}>
          <LeftIcon size={16} /> {scope.sourceAppId}
        </Link>
      )}
      <PageHeader
        title="API keys"
        note={`Programs use API keys to read, change and submit users of ${scope.sourceAppId} without a password.`}
      >
        {create}
      </PageHeader>
      {error && <LoadError error={error} onRetry={refetch} />}
      <section className={classes.card} aria-label="API keys">
        {!data && !error && <TableSkeleton rows={3} />}
        {data && data.keys.length > 0 && <KeyRows keys={data.keys} onDelete={setDeleting} />}
        {data?.keys.length === 0 && (
          <EmptyState title="No API keys yet" action={create}>
            A key lets a server or a script call this service for the app. It can only do what you allow, and you can
            delete it at any time.
          </EmptyState>
        )}
      </section>
      <CreateKey scope={scope} opened={isCreating} onClose={() => setCreating(false)} />
      <DeleteDialog scope={scope} deleted={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

interface DeleteDialogProps {
  scope: Scope;
  deleted: ApiKey | undefined;
  onClose: () => void;
}

function DeleteDialog({ scope, deleted, onClose }: DeleteDialogProps) {
  const remove = useDeleteKey(scope);
  const close = (): void => {
    remove.reset();
    onClose();
  };
  return (
    <Modal opened={deleted !== undefined} onClose={close} title="Delete this API key?">
      <Stack>
        <Text size="sm" className="breaks">
          Programs that use <strong>{deleted?.name}</strong> are refused from now on. This cannot be undone.
        </Text>
        {remove.error && (
          <Alert color="red" variant="light" role="alert">
            {remove.error.message}.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color="red.9"
            loading={remove.isPending}
            onClick={() => deleted && remove.mutate(deleted.id, { onSuccess: close })}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
