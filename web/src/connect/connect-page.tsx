import { Tabs, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useLocation } from 'wouter';
import { hasStatus } from '../api/call.ts';
import card from '../components/page/card.module.css';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { AppNotFound, NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';
import classes from './connect-page.module.css';
import { LiveTest } from './overview/live-test.tsx';
import { OriginsCard } from './overview/origins-card.tsx';
import { StatusCard } from './overview/status-card.tsx';
import { type ConnectedApp, useConnectedApp } from './queries.ts';
import { DesignTab, SettingsTab } from './settings/settings-tab.tsx';
import { useSettings } from './settings/use-settings.ts';
import { SnippetsCard } from './snippets/snippets-card.tsx';

// Loaded on demand: the HTML parser is large.
const ImportTab = lazy(() => import('./import/import-tab.tsx'));

const TABS = [
  { id: 'overview', path: 'connect' },
  { id: 'settings', path: 'connect/settings' },
  { id: 'design', path: 'connect/design' },
  { id: 'import', path: 'connect/import' },
] as const;
type Tab = (typeof TABS)[number];

function useTabs(): readonly Tab[] {
  const { manage } = useAbilities();
  return manage ? TABS : TABS.filter(({ id }) => id === 'overview');
}

interface ConnectPageProps {
  scope: Scope;
  tab?: string | undefined;
}

/** Connects forms to an app: what works, who may submit, code, settings and import. */
export default function ConnectPage({ scope, tab }: ConnectPageProps) {
  const { sourceAppId } = scope;
  const { app, error, refetch } = useConnectedApp(scope);
  const path = tab === undefined ? 'connect' : `connect/${tab}`;
  const active = useTabs().find((one) => one.path === path);
  if (!active) return <NotFoundPage />;
  if (hasStatus(error, 404)) return <AppNotFound sourceAppId={sourceAppId} path="/" action={t.connect.goToStart} />;
  return (
    <>
      <PageHeader title={t.connect.title} note={app ? t.connect.note(sourceAppId, app.schema.version) : sourceAppId} />
      {error && <LoadError error={error} onRetry={refetch} />}
      {!app && !error && <PageSkeleton />}
      {app && <Content app={app} active={active} />}
    </>
  );
}

function Content({ app, active }: { app: ConnectedApp; active: Tab }) {
  const [, navigate] = useLocation();
  const tabs = useTabs();
  // Both tabs edit one draft, so that a save ends where it began.
  const editor = useSettings(app);
  return (
    <Tabs
      value={active.id}
      keepMounted={false}
      onChange={(id) => navigate(appPath(app, tabs.find((one) => one.id === id)?.path))}
    >
      <Tabs.List mb="md">
        {tabs.map(({ id }) => (
          <Tabs.Tab key={id} value={id}>
            {t.connect.tabs[id]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="overview">
        <Overview app={app} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <SettingsTab app={app} editor={editor} />
      </Tabs.Panel>
      <Tabs.Panel value="design">
        <DesignTab app={app} editor={editor} />
      </Tabs.Panel>
      <Tabs.Panel value="import">
        <Suspense fallback={<PageSkeleton />}>
          <ImportTab app={app} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
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
