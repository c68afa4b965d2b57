import { Alert, Button, NativeSelect, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Webhook } from '../../api/endpoints.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LeftIcon, RepeatIcon, RightIcon } from '../../components/icons.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { TableSkeleton } from '../../components/table-skeleton.tsx';
import type { Scope } from '../../users/scope.ts';
import { DELIVERY_STATES } from '../names.ts';
import { type DeliveryState, deliveriesQuery, useWebhookChanges } from '../queries.ts';
import classes from '../webhooks.module.css';
import { DeliveriesTable } from './deliveries-table.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { ReplaySince } from './replay-since.tsx';

const STATES = Object.keys(DELIVERY_STATES) as DeliveryState[];

/** The deliveries of a webhook, newest first, with a filter by state. */
export function DeliveriesCard({ webhook, scope }: { webhook: Webhook; scope: Scope }) {
  const [searchParams, setSearchParams] = useSearchParams();
  const state = STATES.find((one) => one === searchParams.get('state'));
  const [replaying, setReplaying] = useState(false);
  const isDisabled = webhook.state === 'disabled';
  return (
    <section className={classes.card} aria-labelledby="deliveries">
      <div className={classes.bar}>
        <Title order={2} size="h4" id="deliveries">
          Deliveries
        </Title>
        <div className={classes.actions}>
          <NativeSelect
            aria-label="State"
            size="xs"
            value={state ?? ''}
            data={[
              { value: '', label: 'All states' },
              ...STATES.map((one) => ({ value: one, label: DELIVERY_STATES[one].name })),
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
            Replay since…
          </Button>
        </div>
      </div>
      {isDisabled && (
        <Alert color="yellow" variant="light" p="xs" m="md" mb={0}>
          Nothing is delivered while the webhook is disabled. Enable it to replay deliveries.
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
  // The cursors of the pages before this one, and of this one.
  const [cursors, setCursors] = useState<(string | undefined)[]>([undefined]);
  const { data, error, refetch } = useQuery(deliveriesQuery(scope, webhook.id, { state, cursor: cursors.at(-1) }));
  const { replay } = useWebhookChanges(scope);
  const [shownId, setShownId] = useState<string>();
  const isFirst = cursors.length === 1;
  return (
    <>
      {error && <LoadError error={error} onRetry={refetch} />}
      {replay.error && (
        <Alert color="red" variant="light" role="alert" m="md">
          {replay.error.message}.
        </Alert>
      )}
      {!data && !error && <TableSkeleton rows={4} />}
      {data && data.deliveries.length > 0 && (
        <DeliveriesTable
          deliveries={data.deliveries}
          scope={scope}
          canReplay={webhook.state === 'active'}
          replaying={replay.isPending ? replay.variables : undefined}
          onReplay={replay.mutate}
          onShow={setShownId}
        />
      )}
      {data?.deliveries.length === 0 && (
        <EmptyState title={state ? 'No deliveries in this state' : 'No deliveries yet'}>
          Each event of this webhook is listed here for 30 days, with its attempts and the answers.
        </EmptyState>
      )}
      {data && (!isFirst || data.next) && (
        <nav className={classes.pager} aria-label="Pagination">
          <Button
            variant="default"
            size="xs"
            disabled={isFirst}
            leftSection={<LeftIcon size={14} />}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            Newer
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={!data.next}
            rightSection={<RightIcon size={14} />}
            onClick={() => setCursors([...cursors, data.next])}
          >
            Older
          </Button>
        </nav>
      )}
      <DeliveryDialog id={shownId} scope={scope} onClose={() => setShownId(undefined)} />
    </>
  );
}
