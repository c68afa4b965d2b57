import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../api/endpoints.ts';
import card from '../components/card.module.css';
import { ConfirmRemoval } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PlusIcon } from '../components/icons.tsx';
import { ListBody } from '../components/list-body.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import type { Scope } from '../users/scope.ts';
import { CreateKey } from './create-key.tsx';
import { KeyRows } from './key-rows.tsx';
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
      <PageHeader
        title="API keys"
        note={`Programs use API keys to read, change and submit users of ${scope.sourceAppId} without a password.`}
      >
        {create}
      </PageHeader>
      {error && <LoadError error={error} onRetry={refetch} />}
      <section className={card.card} aria-label="API keys">
        <ListBody
          items={data?.keys}
          error={error}
          rows={3}
          empty={
            <EmptyState title="No API keys yet" action={create}>
              A key lets a server or a script call this service for the app. It can only do what you allow, and you can
              delete it at any time.
            </EmptyState>
          }
        >
          {(keys) => <KeyRows keys={keys} onDelete={setDeleting} />}
        </ListBody>
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
  return (
    <ConfirmRemoval id={deleted?.id} title="Delete this API key?" remove={useDeleteKey(scope)} onClose={onClose}>
      <Text size="sm" className="breaks">
        Programs that use <strong>{deleted?.name}</strong> are refused from now on. This cannot be undone.
      </Text>
    </ConfirmRemoval>
  );
}
