import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { hasStatus } from '../api/call.ts';
import type { AuditEvent, Field } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { DownIcon, RightIcon } from '../components/icons.tsx';
import { type Column, DataTable } from '../components/table/data-table.tsx';
import { recordQuery } from '../record/queries.ts';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { recordPath, type Scope } from '../users/scope.ts';
import { actorId, actorName, changesOf, detailText, methodText, recordOf, targetText } from './actions.ts';
import classes from './audit-page.module.css';
import { pathText } from './paths.ts';

interface RowsProps {
  events: readonly AuditEvent[];
  /** Undefined: the events of all apps, each with the name of its app. */
  scope: Scope | undefined;
}

/** The table of events: a line for each, which opens to show its details. */
export function AuditRows({ events, scope }: RowsProps) {
  const app: Column<AuditEvent> = {
    name: t.audit.app,
    className: classes.named,
    cell: ({ sourceAppId }) => sourceAppId ?? <Text c="dimmed">{t.audit.allApps}</Text>,
  };
  const what = (event: AuditEvent): ReactNode =>
    scope ? <WhatIn event={event} scope={scope} /> : <What event={event} />;
  return (
    <DataTable
      label={t.audit.table}
      className={classes.scroll}
      spacing="xs"
      rows={events}
      columns={[
        { name: t.common.time, className: classes.time, cell: ({ at }) => <Time at={at} /> },
        { name: t.audit.what, className: classes.what, cell: what },
        ...(scope ? [] : [app]),
        { name: t.audit.who, className: classes.who, cell: ({ actor }) => <Actor actor={actor} /> },
      ]}
    />
  );
}

/** Who acted, in one line; the details have the whole. */
function Actor({ actor }: { actor: AuditEvent['actor'] }) {
  const name = actorName(actor);
  return <span title={actorId(actor) ?? name}>{name}</span>;
}

/** As `What`, with the labels that the fields of the app have now. */
function WhatIn({ event, scope }: { event: AuditEvent; scope: Scope }) {
  const { data: schema } = useQuery({ ...scopedSchemaQuery(scope), enabled: event.action === 'schema.replaced' });
  return <What event={event} fields={schema?.fields} />;
}

/** The action and its target, and below them the details, if the reader opened them. */
function What({ event, fields }: { event: AuditEvent; fields?: readonly Field[] | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const target = targetText(event);
  const action = t.audit.actions[event.action];
  return (
    <>
      <UnstyledButton
        className={classes.summary ?? ''}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? <DownIcon size={14} /> : <RightIcon size={14} />}
        <span className={classes.line}>
          {action}
          {target && !isOpen && (
            <span className={classes.target} title={target.title}>
              {target.text}
            </span>
          )}
        </span>
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={classes.details}>
          {target && <div title={target.title}>{target.text}</div>}
          <RecordOf event={event} />
          <Facts event={event} fields={fields} />
        </div>
      )}
    </>
  );
}

/** A link to the record that an event concerns, with its email if the reader may read it. */
function RecordOf({ event }: { event: AuditEvent }) {
  const { sourceAppId } = event;
  const id = recordOf(event);
  const isNamed = id !== undefined && sourceAppId !== null;
  const scope = { sourceAppId: sourceAppId ?? '', asAdmin: false };
  const { data, error } = useQuery({ ...recordQuery(scope, id ?? ''), enabled: isNamed });
  if (!isNamed) return null;
  if (hasStatus(error, 404)) return <div>{t.audit.gone.record}</div>;
  return (
    <div>
      <Link href={recordPath(scope, id)} className="text-link">
        {data?.record.email ?? t.common.showRecord}
      </Link>
    </div>
  );
}

/** The numbers of an event, its changes, and how and from where the actor came. */
function Facts({ event, fields }: { event: AuditEvent; fields: readonly Field[] | undefined }) {
  const { actor } = event;
  const detail = detailText(event);
  const method = methodText(actor);
  const { changes, more } = changesOf(event);
  return (
    <>
      {detail !== '' && <div>{detail}</div>}
      {changes.length > 0 && (
        <ul className={classes.changes}>
          {changes.map(({ path, text }) => (
            <li key={path}>
              {/* Values as they are stored, in no language. */}
              <span title={path}>{pathText(path, fields)}</span>: <code>{text}</code>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <div>{t.audit.moreChanges(more)}</div>}
      {actor.email && <div>{actor.email}</div>}
      {(method || actor.address) && (
        <div>
          {method && <span>{method}</span>}
          {method && actor.address && ', '}
          {actor.address && <span>{t.audit.from(actor.address)}</span>}
        </div>
      )}
    </>
  );
}
