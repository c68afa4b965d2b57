import { Badge, Button, Group, Table } from '@mantine/core';
import { Link } from 'wouter';
import type { Delivery } from '../../api/endpoints.ts';
import { count } from '../../components/count.ts';
import table from '../../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../../components/data-table.tsx';
import { Time } from '../../components/time.tsx';
import { type Scope, usersPath } from '../../users/scope.ts';
import { DELIVERY_STATES, milliseconds } from '../names.ts';
import classes from '../webhooks.module.css';

/** The most changed paths that a row shows. */
const MAX_PATHS = 3;

interface DeliveriesTableProps {
  deliveries: readonly Delivery[];
  scope: Scope;
  canReplay: boolean;
  /** The id of the delivery that is being replayed. */
  replaying: string | undefined;
  onReplay: (id: string) => void;
  onShow: (id: string) => void;
}

export function DeliveriesTable({ deliveries, scope, canReplay, replaying, onReplay, onShow }: DeliveriesTableProps) {
  return (
    <DataTable
      label="Table of deliveries"
      width={760}
      className={classes.scroll}
      head={
        <>
          <Table.Th>State</Table.Th>
          <Table.Th>Event</Table.Th>
          <Table.Th data-wide-only>Revision</Table.Th>
          <Table.Th data-wide-only>Changed</Table.Th>
          <Table.Th data-wide-only>Time</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {deliveries.map((delivery) => (
        <Table.Tr key={delivery.id}>
          <Table.Td>
            <DeliveryBadge state={delivery.state} />
            <LastAttempt delivery={delivery} />
          </Table.Td>
          <Table.Td>
            {delivery.type}
            <div className={classes.muted}>
              <RecordLink delivery={delivery} scope={scope} />
            </div>
            <div className={`${table.onPhone} ${table.detail}`}>
              Revision {delivery.revision}, <Time at={delivery.at} relative />
              {delivery.changed && <>, {pathsOf(delivery.changed)}</>}
            </div>
          </Table.Td>
          <Table.Td data-wide-only>{delivery.revision}</Table.Td>
          <Table.Td data-wide-only className={classes.changed}>
            {delivery.changed ? pathsOf(delivery.changed) : '–'}
          </Table.Td>
          <Table.Td data-wide-only className={classes.nowrap}>
            <Time at={delivery.at} relative />
          </Table.Td>
          <Table.Td>
            <Group gap="xs" justify="flex-end" className={classes.rowActions ?? ''}>
              <Button
                size="xs"
                variant="default"
                aria-label={`Details of ${nameOf(delivery)}`}
                onClick={() => onShow(delivery.id)}
              >
                Details
              </Button>
              <Button
                size="xs"
                variant="subtle"
                disabled={!canReplay || replaying !== undefined}
                loading={replaying === delivery.id}
                aria-label={`${replayName(delivery)} ${nameOf(delivery)}`}
                onClick={() => onReplay(delivery.id)}
              >
                {replayName(delivery)}
              </Button>
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  const { name, color } = DELIVERY_STATES[state];
  return (
    <Badge variant="light" color={color} tt="none">
      {name}
    </Badge>
  );
}

/** Links the record, unless the event says that it was erased. */
export function RecordLink({ delivery: { type, recordId }, scope }: { delivery: Delivery; scope: Scope }) {
  if (type === 'user.erased') return <span className="breaks">{recordId}</span>;
  return (
    <Link href={`${usersPath(scope)}/${recordId}`} className="breaks">
      {recordId}
    </Link>
  );
}

function LastAttempt({ delivery: { attempts, nextAt } }: { delivery: Delivery }) {
  const last = attempts.at(-1);
  return (
    <div className={classes.muted}>
      {last && (
        <div>
          {last.status ?? last.error} · {milliseconds(last.ms)}
          {attempts.length > 1 && ` · ${count(attempts.length, 'attempt')}`}
        </div>
      )}
      {nextAt && (
        <div>
          Next attempt <Time at={nextAt} relative />
        </div>
      )}
    </div>
  );
}

function pathsOf(changed: readonly string[]): string {
  const more = changed.length - MAX_PATHS;
  return changed.slice(0, MAX_PATHS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function replayName({ state }: Delivery): string {
  return state === 'waiting' ? 'Try now' : 'Replay';
}

function nameOf({ type, revision, recordId }: Delivery): string {
  return `${type}, revision ${revision} of ${recordId}`;
}
