import { Modal, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Delivery, ResponseBody } from '../../api/endpoints.ts';
import { Time } from '../../components/content/time.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
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
    <Modal opened={id !== undefined} onClose={onClose} title={t.webhooks.deliveryTitle} size="xl">
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
        <dt>{t.webhooks.event}</dt>
        <dd>{type}</dd>
        <dt>{t.webhooks.state}</dt>
        <dd>
          <DeliveryBadge state={state} />
        </dd>
        {nextAt && (
          <>
            <dt>{t.webhooks.nextAttempt}</dt>
            <dd>
              <Time at={nextAt} />, <Time at={nextAt} relative />
            </dd>
          </>
        )}
        <dt>{t.webhooks.record}</dt>
        <dd>{t.webhooks.recordRevision(<RecordLink delivery={delivery} scope={scope} />, revision)}</dd>
        {changed && (
          <>
            <dt>{t.webhooks.changed}</dt>
            <dd>{changed.join(', ')}</dd>
          </>
        )}
        <dt>{t.common.time}</dt>
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
        {t.webhooks.attemptsTitle}
      </Title>
      {attempts.length === 0 && <Text c="dimmed">{t.webhooks.noAttempts}</Text>}
      <ol className={classes.attempts}>
        {attempts.map(({ at, ms, status, error, response }) => (
          <li key={at}>
            <span>
              <Time at={at} /> · {status === undefined ? error : t.webhooks.status(status)} · {milliseconds(ms)}
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
        {t.webhooks.requestTitle}
      </Title>
      {request ? (
        <>
          <TextBlock text={headOf(request)} />
          <TextBlock text={shortened(JSON.stringify(request.body, null, 2))} />
        </>
      ) : (
        <Text c="dimmed">{t.webhooks.noRequest}</Text>
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
