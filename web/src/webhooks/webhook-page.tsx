import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { hasStatus } from '../api/call.ts';
import { Url } from '../components/content/addresses.tsx';
import { UpLink } from '../components/page/back-link.tsx';
import card from '../components/page/card.module.css';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { NotFound } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { DeliveriesCard } from './deliveries/deliveries-card.tsx';
import { webhooksPath } from './names.ts';
import { webhooksQuery } from './queries.ts';
import { WebhookActions, WebhookFacts } from './webhook-list.tsx';
import { WebhookMenu } from './webhook-menu.tsx';

export default function WebhookPage({ id, scope }: { id: string; scope: Scope }) {
  const [, navigate] = useLocation();
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(scope));
  const webhook = webhooks?.find((one) => one.id === id);
  const path = webhooksPath(scope);
  const isMissing = (webhooks && !webhook) || hasStatus(error, 404);
  if (isMissing) {
    return (
      <NotFound
        heading={t.webhooks.notFound}
        title={t.webhooks.noSuchWebhook}
        note={t.webhooks.noSuchWebhookNote}
        path={path}
        action={t.webhooks.goToWebhooks}
      />
    );
  }
  if (!webhook) return error ? <LoadError error={error} onRetry={refetch} /> : <PageSkeleton />;
  return (
    <>
      <UpLink path={path} name={t.webhooks.title} />
      <PageHeader
        title={webhook.url}
        heading={<Url>{webhook.url}</Url>}
        note={<WebhookFacts webhook={webhook} scope={scope} />}
      >
        <WebhookMenu webhook={webhook} scope={scope} onDeleted={() => navigate(path, { replace: true })} />
      </PageHeader>
      <div className={card.stack}>
        <WebhookActions webhook={webhook} scope={scope} />
        <DeliveriesCard webhook={webhook} scope={scope} />
      </div>
    </>
  );
}
