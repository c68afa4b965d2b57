import { Table, Text } from '@mantine/core';
import type { AuditEvent } from '../api/endpoints.ts';
import table from '../components/data-table.module.css';
import { DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';
import { actorName, detailText, methodText, targetText } from './actions.ts';
import classes from './audit-page.module.css';

/** The table of events. That of all apps also names the app of each. */
export function AuditRows({ events, ofAllApps }: { events: readonly AuditEvent[]; ofAllApps: boolean }) {
  return (
    <DataTable
      label={t.audit.table}
      isQuiet
      className={classes.scroll}
      head={
        <>
          <Table.Th>{t.common.time}</Table.Th>
          <Table.Th>{t.audit.what}</Table.Th>
          <Table.Th>{t.audit.who}</Table.Th>
          {ofAllApps && <Table.Th>{t.audit.app}</Table.Th>}
        </>
      }
    >
      {events.map((event) => (
        <Table.Tr key={event.id}>
          <Table.Td className={classes.time}>
            <Time at={event.at} />
          </Table.Td>
          <Table.Td>
            {t.audit.actions[event.action]}
            {targetText(event) && <div className={`${table.detail} ${classes.detail}`}>{targetText(event)}</div>}
            {detailText(event.detail) !== '' && (
              <div className={`${table.detail} ${classes.detail}`}>{detailText(event.detail)}</div>
            )}
          </Table.Td>
          <Table.Td className={classes.who}>
            <Actor actor={event.actor} />
          </Table.Td>
          {ofAllApps && (
            <Table.Td className={classes.named}>
              {event.sourceAppId ?? <Text c="dimmed">{t.audit.allApps}</Text>}
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </DataTable>
  );
}

/** Who acted, how their session logged in, and from where. */
function Actor({ actor }: { actor: AuditEvent['actor'] }) {
  const method = methodText(actor);
  return (
    <>
      <div className={classes.actor}>{actorName(actor)}</div>
      {actor.email && <div className={`${table.detail} ${classes.detail}`}>{actor.email}</div>}
      {(method || actor.address) && (
        <div className={`${table.detail} ${classes.detail}`}>
          {method && <span>{method}</span>}
          {method && actor.address && ', '}
          {actor.address && <span>{t.audit.from(actor.address)}</span>}
        </div>
      )}
    </>
  );
}
