import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChangeOfUsers, Field } from '../../api/endpoints.ts';
import { Fold } from '../../components/content/fold.tsx';
import { Time } from '../../components/content/time.tsx';
import { Value } from '../../components/content/value.tsx';
import { fieldName, labelOf } from '../../components/form/labels.ts';
import card from '../../components/page/card.module.css';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../scope.ts';
import classes from './bulk-change.module.css';
import { ChangeState, changesQuery, isRunning } from './change-progress.tsx';

interface RecentChangesProps {
  scope: Scope;
  fields: readonly Field[];
}

/** The newest changes of many users, with their progress, Stop and Undo, also after a reload. */
export function RecentChanges(props: RecentChangesProps) {
  const { data } = useQuery(changesQuery(props.scope));
  return data && data.changes.length > 0 ? <ChangeList {...props} changes={data.changes} /> : null;
}

function ChangeList({ scope, fields, changes }: RecentChangesProps & { changes: readonly ChangeOfUsers[] }) {
  // Open when one is in progress at first; then the reader opens and closes the list.
  const [isOpen] = useState(changes.some(isRunning));
  const [newest] = changes;
  return (
    <Fold
      className={`${card.card} ${classes.recent}`}
      isOpen={isOpen}
      summary={
        <>
          <Title order={2} size="h4" id="recent-changes">
            {t.users.change.recent}
          </Title>
          {newest && (
            <Text c="dimmed" className="breaks" ml="sm">
              <Content change={newest} fields={fields} />, <Time at={newest.createdAt} relative />
            </Text>
          )}
        </>
      }
    >
      <ul aria-labelledby="recent-changes">
        {changes.map((change) => (
          <li key={change.id}>
            <Text className="breaks">
              <Content change={change} fields={fields} />{' '}
              <Text span c="dimmed">
                <Time at={change.createdAt} relative />
              </Text>
            </Text>
            <ChangeState scope={scope} change={change} />
          </li>
        ))}
      </ul>
    </Fold>
  );
}

/** The fields that a change sets or removes. */
function Content({ change: { set, unset }, fields }: { change: ChangeOfUsers; fields: readonly Field[] }) {
  const parts = [...Object.keys(set), ...unset].map((key) => ({ key, field: fields.find((one) => one.key === key) }));
  return parts.map(({ key, field }) => (
    <span key={key} className={classes.part}>
      <strong>{field ? fieldName(field) : key}:</strong>{' '}
      {unset.includes(key) ? t.users.change.removed : <Value value={field ? labelOf(field, set[key]) : set[key]} />}
    </span>
  ));
}
