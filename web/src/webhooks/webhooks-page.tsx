import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasStatus } from '../api/call.ts';
import { PlusIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { CreateWebhook } from './create-webhook.tsx';
import { webhooksQuery } from './queries.ts';
import { VerifyCard } from './verify-card.tsx';
import { WebhookList } from './webhook-list.tsx';

/** The webhooks of an app, and code that verifies what they send. */
export default function WebhooksPage({ scope }: { scope: Scope }) {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(scope));
  const [creating, setCreating] = useState(false);
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      {t.webhooks.add}
    </Button>
  );
  if (hasStatus(error, 404)) return <PageHeader title={t.webhooks.appNotFound} />;
  return (
    <>
      <PageHeader title={t.webhooks.title} note={t.webhooks.note}>
        {create}
      </PageHeader>
      <div className={card.stack}>
        {error && <LoadError error={error} onRetry={refetch} />}
        <section className={card.card} aria-label={t.webhooks.list}>
          <ListBody
            items={webhooks}
            error={error}
            rows={3}
            empty={
              <EmptyState subject="webhooks" title={t.webhooks.nothing} action={create}>
                {t.webhooks.nothingNote(scope.sourceAppId)}
              </EmptyState>
            }
          >
            {(list) => <WebhookList webhooks={list} scope={scope} />}
          </ListBody>
        </section>
        <VerifyCard />
      </div>
      <CreateWebhook scope={scope} opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}
