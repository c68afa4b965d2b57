import { Table, Text } from '@mantine/core';
import type { AuditEvent } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import { ACTIONS, actorName, detailText } from './actions.ts';
import classes from './audit-page.module.css';

/** The table of events. That of all apps also names the app of each. */
export function AuditRows({ events, ofAllApps }: { events: readonly AuditEvent[]; ofAllApps: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of events">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Who</Table.Th>
            {ofAllApps && <Table.Th>App</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Table.Tr key={event.id}>
              <Table.Td className={classes.time}>
                <Time at={event.at} />
              </Table.Td>
              <Table.Td>
                {ACTIONS[event.action]}
                <Target event={event} />
                {detailText(event.detail) !== '' && <div className={classes.detail}>{detailText(event.detail)}</div>}
              </Table.Td>
              <Table.Td>
                {actorName(event.actor)}
                {event.actor.address && <div className={classes.detail}>from {event.actor.address}</div>}
              </Table.Td>
              {ofAllApps && (
                <Table.Td className="breaks">{event.sourceAppId ?? <Text c="dimmed">All apps</Text>}</Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** The id of what was changed, unless it is the app of the event. */
function Target({ event: { target, sourceAppId } }: { event: AuditEvent }) {
  if (target === null || target === sourceAppId) return null;
  return <div className={classes.detail}>{target}</div>;
}
