import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../api/endpoints.ts';
import { ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { PlusIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { AssistantsCard } from './assistants-card.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyRows } from './key-rows.tsx';
import { keysQuery, useDeleteKey } from './queries.ts';

/** The API keys of an app: creates and deletes them. */
export default function KeysPage({ scope }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(keysQuery(scope));
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      {t.keys.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.keys.title} note={t.keys.note(scope.sourceAppId)}>
        {create}
      </PageHeader>
      {error && <LoadError error={error} onRetry={refetch} />}
      <section className={card.card} aria-label={t.keys.title}>
        <ListBody
          items={data?.keys}
          error={error}
          rows={3}
          empty={
            <EmptyState subject="keys" title={t.keys.nothing} action={create}>
              {t.keys.nothingNote}
            </EmptyState>
          }
        >
          {(keys) => <KeyRows keys={keys} onDelete={setDeleting} />}
        </ListBody>
      </section>
      {data?.mcp && <AssistantsCard />}
      <CreateKey scope={scope} opened={isCreating} onClose={() => setCreating(false)} />
      <ConfirmRemoval
        id={deleting?.id}
        title={t.keys.deleteTitle}
        remove={useDeleteKey(scope)}
        onClose={() => setDeleting(undefined)}
      >
        <Text className="breaks">{t.keys.deleteNote(deleting?.name ?? '')}</Text>
      </ConfirmRemoval>
    </>
  );
}
