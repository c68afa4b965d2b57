import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../api/endpoints.ts';
import { Url } from '../components/content/addresses.tsx';
import { Time } from '../components/content/time.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { EVENTS, webhooksPath } from './names.ts';
import { useWebhookChanges } from './queries.ts';
import { TestResult } from './test-result.tsx';
import { WebhookMenu } from './webhook-menu.tsx';
import { WebhookState } from './webhook-state.tsx';
import classes from './webhooks.module.css';

// Loaded on demand: its words need the kinds of fields.
const ConditionFacts = lazy(() =>
  import('../record-conditions/condition-facts.tsx').then((part) => ({ default: part.ConditionFacts })),
);

/** The webhooks of an app, each with its state and actions. */
export function WebhookList({ webhooks, scope }: { webhooks: readonly Webhook[]; scope: Scope }) {
  return (
    <ul className={classes.list}>
      {webhooks.map((webhook) => (
        <li key={webhook.id} className={classes.item}>
          <div className={classes.top}>
            <Link href={webhooksPath(scope, webhook.id)} className={classes.url ?? ''}>
              <Url>{webhook.url}</Url>
            </Link>
            <WebhookMenu webhook={webhook} scope={scope} />
          </div>
          <WebhookFacts webhook={webhook} scope={scope} />
          <WebhookActions webhook={webhook} scope={scope}>
            <Button
              component={Link}
              href={webhooksPath(scope, webhook.id)}
              size="xs"
              variant="default"
              aria-label={t.webhooks.deliveriesTo(webhook.url)}
            >
              {t.webhooks.deliveries}
            </Button>
          </WebhookActions>
        </li>
      ))}
    </ul>
  );
}

export function WebhookFacts({ webhook, scope }: { webhook: Webhook; scope: Scope }) {
  const names = EVENTS.filter((type) => webhook.events.includes(type)).map((type) => t.webhooks.events[type].inList);
  return (
    <div className={classes.facts}>
      <WebhookState webhook={webhook} />
      {webhook.format !== 'standard' && <span>{t.webhooks.formats[webhook.format].name}</span>}
      <span>{t.webhooks.usersEvents(names.join(', '))}</span>
      {webhook.if && (
        <Suspense fallback={null}>
          <ConditionFacts scope={scope} conditions={webhook.if} problem={webhook.problem} />
        </Suspense>
      )}
      <span>{t.webhooks.added(<Time at={webhook.createdAt} relative />)}</span>
    </div>
  );
}

/** Sends a test event and shows its result; enables a webhook that is disabled. */
export function WebhookActions({
  webhook: { id, url, state },
  scope,
  children,
}: {
  webhook: Webhook;
  scope: Scope;
  children?: React.ReactNode;
}) {
  const { test, change } = useWebhookChanges(scope);
  const [testedUrl, setTestedUrl] = useState<string>();
  return (
    <>
      <div className={classes.actions}>
        {state === 'disabled' && (
          <Button
            size="xs"
            loading={change.isPending}
            aria-label={t.webhooks.enableUrl(url)}
            onClick={() => change.mutate({ id, enabled: true })}
          >
            {t.webhooks.enable}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          loading={test.isPending}
          aria-label={t.webhooks.testUrl(url)}
          onClick={() => {
            setTestedUrl(url);
            test.mutate(id);
          }}
        >
          {t.webhooks.test}
        </Button>
        {children}
      </div>
      <div aria-live="polite">
        {testedUrl === url && <TestResult test={test} />}
        {change.error && <TestResult test={{ data: undefined, error: change.error }} />}
      </div>
    </>
  );
}
