import { Alert, Button, NativeSelect, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Webhook } from '../../api/endpoints.ts';
import { Problem } from '../../components/form/problem.tsx';
import { RepeatIcon } from '../../components/icons.tsx';
import card from '../../components/page/card.module.css';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { CursorPager, useCursorPages } from '../../components/table/cursor-pager.tsx';
import { ListBody } from '../../components/table/list-body.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { DELIVERY_COLORS } from '../names.ts';
import { type DeliveryState, deliveriesQuery, useWebhookChanges } from '../queries.ts';
import classes from '../webhooks.module.css';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { ReplaySince } from './replay-since.tsx';

const STATES = Object.keys(DELIVERY_COLORS) as DeliveryState[];

/** The deliveries of a webhook, newest first, with a filter by state. */
export function DeliveriesCard({ webhook, scope }: { webhook: Webhook; scope: Scope }) {
  const [searchParams, setSearchParams] = useSearchParams();
  const state = STATES.find((one) => one === searchParams.get('state'));
  const [replaying, setReplaying] = useState(false);
  const isDisabled = webhook.state === 'disabled';
  return (
    <section className={card.card} aria-labelledby="deliveries">
      <div className={classes.bar}>
        <Title order={2} size="h4" id="deliveries">
          {t.webhooks.deliveries}
        </Title>
        <div className={classes.actions}>
          <NativeSelect
            aria-label={t.webhooks.state}
            size="xs"
            value={state ?? ''}
            data={[
              { value: '', label: t.webhooks.allStates },
              ...STATES.map((one) => ({ value: one, label: t.webhooks.states[one] })),
            ]}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setSearchParams(value === '' ? [] : [['state', value]], { replace: true });
            }}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<RepeatIcon size={14} />}
            disabled={isDisabled}
            onClick={() => setReplaying(true)}
          >
            {t.webhooks.replaySince}
          </Button>
        </div>
      </div>
      {isDisabled && (
        <Alert color="yellow" p="xs" m="md" mb={0}>
          {t.webhooks.disabledNote}
        </Alert>
      )}
      <Pages key={state ?? ''} webhook={webhook} scope={scope} state={state} />
      <ReplaySince webhook={webhook} scope={scope} opened={replaying} onClose={() => setReplaying(false)} />
    </section>
  );
}

interface PagesProps {
  webhook: Webhook;
  scope: Scope;
  state: DeliveryState | undefined;
}

/** The pages of a list. A new list begins with its first page. */
function Pages({ webhook, scope, state }: PagesProps) {
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(deliveriesQuery(scope, webhook.id, { state, cursor: pages.cursor }));
  const { replay } = useWebhookChanges(scope);
  const [shownId, setShownId] = useState<string>();
  return (
    <>
      {error && <LoadError error={error} onRetry={refetch} />}
      <Problem error={replay.error} m="md" />
      <ListBody
        items={data?.deliveries}
        error={error}
        rows={4}
        empty={
          <EmptyState subject="webhooks" title={state ? t.webhooks.noneInState : t.webhooks.noDeliveries}>
            {t.webhooks.noDeliveriesNote}
          </EmptyState>
        }
      >
        {(deliveries) => (
          <DeliveriesTable
            deliveries={deliveries}
            scope={scope}
            canReplay={webhook.state === 'active'}
            replaying={replay.isPending ? replay.variables : undefined}
            onReplay={replay.mutate}
            onShow={setShownId}
          />
        )}
      </ListBody>
      <CursorPager pages={pages} shown={data} />
      <DeliveryDialog id={shownId} scope={scope} onClose={() => setShownId(undefined)} />
    </>
  );
}
