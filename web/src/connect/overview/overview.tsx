import { Text } from '@mantine/core';
import card from '../../components/card.module.css';
import { useAbilities } from '../../session/abilities.tsx';
import { t } from '../../texts/texts.ts';
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
      <section className={classes.notes} aria-label={t.connect.overview.notes}>
        <Text>{t.connect.overview.updates()}</Text>
        <Text>{t.connect.overview.checkboxes()}</Text>
      </section>
    </div>
  );
}
