import { Text } from '@mantine/core';
import card from '../../components/card.module.css';
import { useAbilities } from '../../session/abilities.tsx';
import classes from '../connect-page.module.css';
import type { ConnectedApp } from '../queries.ts';
import { SnippetsCard } from '../snippets/snippets-card.tsx';
import { LiveTest } from './live-test.tsx';
import { OriginsCard } from './origins-card.tsx';
import { StatusCard } from './status-card.tsx';

export function Overview({ app }: { app: ConnectedApp }) {
  const { manage } = useAbilities();
  return (
    <div className={`${card.stack} ${classes.links}`}>
      <div className={classes.columns}>
        <StatusCard app={app} />
        {manage && <OriginsCard app={app} />}
      </div>
      <LiveTest app={app} />
      <SnippetsCard app={app} />
      <section className={classes.notes} aria-label="Notes">
        <Text size="sm">
          <strong>Updates:</strong> A later submission with the same email updates the record. Submitted values replace
          stored values, list items are appended, and other fields keep their values.
        </Text>
        <Text size="sm">
          <strong>Checkboxes:</strong> Browsers send nothing for a checkbox that is not ticked. The code therefore has a
          hidden <code>false</code> before each one, so that a person can take a consent back.
        </Text>
      </section>
    </div>
  );
}
