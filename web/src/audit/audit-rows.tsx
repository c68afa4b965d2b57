import { Text } from '@mantine/core';
import type { AuditEvent } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import table from '../components/table/data-table.module.css';
import { type Column, DataTable } from '../components/table/data-table.tsx';
import { t } from '../texts/texts.ts';
import { actorId, actorName, changeTexts, detailText, methodText, targetText } from './actions.ts';
import classes from './audit-page.module.css';

/** The table of events. That of all apps also names the app of each. */
export function AuditRows({ events, ofAllApps }: { events: readonly AuditEvent[]; ofAllApps: boolean }) {
  const app: Column<AuditEvent> = {
    name: t.audit.app,
    className: classes.named,
    cell: ({ sourceAppId }) => sourceAppId ?? <Text c="dimmed">{t.audit.allApps}</Text>,
  };
  return (
    <DataTable
      label={t.audit.table}
      className={classes.scroll}
      rows={events}
      columns={[
        { name: t.common.time, className: classes.time, cell: ({ at }) => <Time at={at} /> },
        { name: t.audit.what, cell: (event) => <What event={event} /> },
        { name: t.audit.who, className: classes.who, cell: ({ actor }) => <Actor actor={actor} /> },
        ...(ofAllApps ? [app] : []),
      ]}
    />
  );
}

function What({ event }: { event: AuditEvent }) {
  const target = targetText(event);
  const detail = detailText(event);
  return (
    <>
      {t.audit.actions[event.action]}
      {target && (
        <div className={`${table.detail} ${classes.detail}`} title={target.title}>
          {target.text}
        </div>
      )}
      {detail !== '' && <div className={`${table.detail} ${classes.detail}`}>{detail}</div>}
      {changeTexts(event).map((text) => (
        // Names and values as they are stored, in no language.
        <code key={text} className={`${table.detail} ${classes.detail} ${classes.change}`}>
          {text}
        </code>
      ))}
    </>
  );
}

/** Who acted, how their session logged in, and from where. */
function Actor({ actor }: { actor: AuditEvent['actor'] }) {
  const method = methodText(actor);
  return (
    <>
      <div className={classes.actor} title={actorId(actor)}>
        {actorName(actor)}
      </div>
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
