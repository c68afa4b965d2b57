import { Badge, Button, Group } from '@mantine/core';
import { Link } from 'wouter';
import type { Delivery } from '../../api/endpoints.ts';
import { Time } from '../../components/content/time.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { t } from '../../texts/texts.ts';
import { recordPath, type Scope } from '../../users/scope.ts';
import { DELIVERY_COLORS, milliseconds } from '../names.ts';
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
      label={t.webhooks.table}
      width={760}
      className={classes.scroll}
      rows={deliveries}
      columns={[
        {
          name: t.webhooks.state,
          cell: (delivery) => (
            <>
              <DeliveryBadge state={delivery.state} />
              <LastAttempt delivery={delivery} />
            </>
          ),
        },
        { name: t.webhooks.event, cell: (delivery) => <Event delivery={delivery} scope={scope} /> },
        { name: t.webhooks.revision, isNumber: true, cell: ({ revision }) => revision },
        {
          name: t.webhooks.changed,
          className: classes.changed,
          cell: ({ changed }) => (changed ? pathsOf(changed) : '–'),
        },
        {
          name: t.common.time,
          className: classes.nowrap,
          cell: ({ at }) => <Time at={at} relative />,
        },
      ]}
      actions={(delivery) => (
        <Group gap="xs" justify="flex-end" className={classes.rowActions ?? ''}>
          <Button
            size="xs"
            variant="default"
            aria-label={t.webhooks.detailsOf(nameOf(delivery))}
            onClick={() => onShow(delivery.id)}
          >
            {t.webhooks.details}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            disabled={!canReplay || replaying !== undefined}
            loading={replaying === delivery.id}
            aria-label={replayLabel(delivery)}
            onClick={() => onReplay(delivery.id)}
          >
            {delivery.state === 'waiting' ? t.webhooks.tryNow : t.webhooks.replay}
          </Button>
        </Group>
      )}
    />
  );
}

function Event({ delivery, scope }: { delivery: Delivery; scope: Scope }) {
  return (
    <>
      {delivery.type}
      <div className={classes.muted}>
        <RecordLink delivery={delivery} scope={scope} />
      </div>
    </>
  );
}

export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  return <Badge color={DELIVERY_COLORS[state]}>{t.webhooks.states[state]}</Badge>;
}

/** Links the record, unless the event says that it was erased. */
export function RecordLink({ delivery: { type, recordId }, scope }: { delivery: Delivery; scope: Scope }) {
  if (type === 'user.erased') return <span className="breaks">{recordId}</span>;
  return (
    <Link href={recordPath(scope, recordId)} className="breaks">
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
          {attempts.length > 1 && ` · ${t.webhooks.attempts(attempts.length)}`}
        </div>
      )}
      {nextAt && <div>{nextAttempt(nextAt)}</div>}
    </div>
  );
}

/** The job takes a delivery that is due within a second or two. */
const nextAttempt = (at: string) =>
  Date.parse(at) <= Date.now() ? t.webhooks.nextAttemptSoon : t.webhooks.nextAttemptAt(<Time at={at} relative />);

function pathsOf(changed: readonly string[]): string {
  const more = changed.length - MAX_PATHS;
  const paths = changed.slice(0, MAX_PATHS).join(', ');
  return more > 0 ? t.webhooks.pathsAndMore(paths, more) : paths;
}

function replayLabel(delivery: Delivery): string {
  const name = nameOf(delivery);
  return delivery.state === 'waiting' ? t.webhooks.tryNowOf(name) : t.webhooks.replayOf(name);
}

function nameOf({ type, revision, recordId }: Delivery): string {
  return t.webhooks.delivery(type, revision, recordId);
}
