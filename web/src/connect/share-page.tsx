import { Text } from '@mantine/core';
import card from '../components/page/card.module.css';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { ConnectedPage } from './connected-page.tsx';
import { LiveTest } from './overview/live-test.tsx';
import { OriginsCard } from './overview/origins-card.tsx';
import { StatusCard } from './overview/status-card.tsx';
import type { ConnectedApp } from './queries.ts';
import classes from './share-page.module.css';
import { SnippetsCard } from './snippets/snippets-card.tsx';

/** Connects forms to an app: what works, who may submit, and code. */
export default function SharePage({ scope }: { scope: Scope }) {
  return (
    <ConnectedPage scope={scope} title={t.connect.title}>
      {(app) => <Overview app={app} />}
    </ConnectedPage>
  );
}

function Overview({ app }: { app: ConnectedApp }) {
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
        {app.schema.fields.some(({ kind }) => kind === 'checkbox') && <Text>{t.connect.overview.checkboxes()}</Text>}
      </section>
    </div>
  );
}
