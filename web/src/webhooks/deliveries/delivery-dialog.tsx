import { Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Delivery, ResponseBody } from '../../api/endpoints.ts';
import { LoadError } from '../../components/load-error.tsx';
import { TableSkeleton } from '../../components/table-skeleton.tsx';
import { Time } from '../../components/time.tsx';
import type { Scope } from '../../users/scope.ts';
import { milliseconds } from '../names.ts';
import { deliveryQuery } from '../queries.ts';
import { TextBlock } from '../text-block.tsx';
import classes from '../webhooks.module.css';
import { DeliveryBadge, RecordLink } from './deliveries-table.tsx';

/** The characters of a body that are shown; a record can have 1 MB. */
const MAX_SHOWN = 50_000;

type Details = ResponseBody<'GET /auth/webhooks/deliveries/:id'>;

interface DeliveryDialogProps {
  /** The delivery to show; undefined: the dialog is closed. */
  id: string | undefined;
  scope: Scope;
  onClose: () => void;
}

/** Everything about one delivery: its attempts, and the request as it would be sent now. */
export function DeliveryDialog({ id, scope, onClose }: DeliveryDialogProps) {
  return (
    <Modal opened={id !== undefined} onClose={onClose} title="Delivery" size="xl">
      {id !== undefined && <Content id={id} scope={scope} />}
    </Modal>
  );
}

function Content({ id, scope }: { id: string; scope: Scope }) {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(scope, id));
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!delivery) return <TableSkeleton rows={5} />;
  const { type, state, revision, changed, at, nextAt, eventId } = delivery;
  return (
    <Stack>
      <dl className={classes.details}>
        <dt>Event</dt>
        <dd>{type}</dd>
        <dt>State</dt>
        <dd>
          <DeliveryBadge state={state} />
        </dd>
        {nextAt && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <Time at={nextAt} />, <Time at={nextAt} relative />
            </dd>
          </>
        )}
        <dt>Record</dt>
        <dd>
          <RecordLink delivery={delivery} scope={scope} />, revision {revision}
        </dd>
        {changed && (
          <>
            <dt>Changed</dt>
            <dd>{changed.join(', ')}</dd>
          </>
        )}
        <dt>Time</dt>
        <dd>
          <Time at={at} />
        </dd>
        <dt>webhook-id</dt>
        <dd>{eventId}</dd>
      </dl>
      <Attempts attempts={delivery.attempts} />
      <SentRequest request={delivery.request} />
    </Stack>
  );
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  return (
    <>
      <Title order={3} size="h5">
        Attempts
      </Title>
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet. An event waits for the earlier events of its record.
        </Text>
      )}
      <ol className={classes.attempts}>
        {attempts.map(({ at, ms, status, error, response }) => (
          <li key={at}>
            <span>
              <Time at={at} /> · {status === undefined ? error : `Status ${status}`} · {milliseconds(ms)}
            </span>
            {response !== undefined && <TextBlock text={response} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function SentRequest({ request }: Pick<Details, 'request'>) {
  return (
    <>
      <Title order={3} size="h5">
        Request as it would be sent now
      </Title>
      {request ? (
        <>
          <TextBlock text={headOf(request)} />
          <TextBlock text={shortened(JSON.stringify(request.body, null, 2))} />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Nothing: the record is gone.
        </Text>
      )}
    </>
  );
}

function headOf({ url, headers }: NonNullable<Details['request']>): string {
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
