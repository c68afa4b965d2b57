import { Table, Text } from '@mantine/core';
import type { AuditEvent } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import { ACTIONS, actorName, detailText, methodText, targetText } from './actions.ts';
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
                {targetText(event) && <div className={classes.detail}>{targetText(event)}</div>}
                {detailText(event.detail) !== '' && <div className={classes.detail}>{detailText(event.detail)}</div>}
              </Table.Td>
              <Table.Td className={classes.who}>
                <Actor actor={event.actor} />
              </Table.Td>
              {ofAllApps && (
                <Table.Td className={classes.named}>
                  {event.sourceAppId ?? (
                    <Text size="sm" c="dimmed">
                      All apps
                    </Text>
                  )}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Who acted, how their session logged in, and from where. */
function Actor({ actor }: { actor: AuditEvent['actor'] }) {
  const method = methodText(actor);
  return (
    <>
      <div className={classes.actor}>{actorName(actor)}</div>
      {actor.email && <div className={classes.detail}>{actor.email}</div>}
      {(method || actor.address) && (
        <div className={classes.detail}>
          {method && <span>{method}</span>}
          {method && actor.address && ', '}
          {actor.address && <span>from {actor.address}</span>}
        </div>
      )}
    </>
  );
}
