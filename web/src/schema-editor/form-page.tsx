import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { hasStatus } from '../api/call.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { type Renaming, useRenaming } from '../background-work/queries.ts';
import { WorkStatus } from '../background-work/work-status.tsx';
import { ShareIcon } from '../components/icons.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { ConnectedPage } from '../connect/connected-page.tsx';
import { formSettingsQuery } from '../connect/queries.ts';
import { otherLanguages, TranslatedLanguages } from '../languages/languages.ts';
import { useAbilities } from '../session/abilities.tsx';
import { AppNotFound, NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';
import { Editor, SettingsEditorOnly, TABS, type Tab } from './editor.tsx';

/** How often an open editor checks for a newer version. */
const POLL_INTERVAL_MS = 10_000;

/** The form of one app: fields, texts, design, JSON and versions. */
export default function FormPage({ scope, tab = 'fields' }: { scope: Scope; tab?: string | undefined }) {
  const can = useAbilities();
  const activeTab = TABS.find((id) => id === tab);
  if (!activeTab) return <NotFoundPage />;
  if (can.schema) return <WholeForm scope={scope} tab={activeTab} />;
  if (activeTab !== 'texts' && activeTab !== 'design') return <NotFoundPage />;
  return (
    <ConnectedPage scope={scope} title={t.schemaEditor.titles[activeTab]}>
      {(app) => <SettingsEditorOnly app={app} tab={activeTab} />}
    </ConnectedPage>
  );
}

function WholeForm({ scope, tab }: { scope: Scope; tab: Tab }) {
  const { sourceAppId } = scope;
  const newest = useQuery({ ...appSchemaQuery(sourceAppId), refetchInterval: POLL_INTERVAL_MS });
  const form = useQuery(formSettingsQuery(sourceAppId));
  const renaming = useRenaming({ sourceAppId, asAdmin: true });
  const error = newest.error ?? form.error;
  if (hasStatus(error, 404)) {
    return <AppNotFound sourceAppId={sourceAppId} path="/apps" action={t.schemaEditor.goToApps} />;
  }
  if (!newest.data || !form.data) {
    if (!error) return <PageSkeleton />;
    return <LoadError error={error} onRetry={() => Promise.all([newest.refetch(), form.refetch()])} />;
  }
  const { schema } = newest.data;
  return (
    <>
      <PageHeader
        title={t.schemaEditor.titles[tab]}
        note={`${sourceAppId} · ${t.schemaEditor.liveVersionNote(schema.version)}`}
      >
        <Button
          component={Link}
          href={appPath({ sourceAppId }, 'share')}
          variant="default"
          leftSection={<ShareIcon size={16} />}
        >
          {t.schemaEditor.connectForm}
        </Button>
      </PageHeader>
      <WorkStatus sourceAppId={sourceAppId} asAdmin fields={schema.fields} />
      <RenameNotice renaming={renaming} />
      <TranslatedLanguages value={otherLanguages(form.data.settings)}>
        <Editor app={{ ...scope, schema, stored: form.data }} newest={newest.data} tab={tab} />
      </TranslatedLanguages>
    </>
  );
}

/** Explains what cannot be saved while values are being moved. */
function RenameNotice({ renaming }: { renaming: readonly Renaming[] }) {
  if (renaming.length === 0) return null;
  const keys = renaming.flatMap(({ from }) => (from === undefined ? [] : t.schemaEditor.quoted(from))).join(', ');
  return (
    <Alert color="indigo" p="xs" mb="md" className="breaks">
      {keys === '' ? t.schemaEditor.moving : t.schemaEditor.movingFrom(keys)}
    </Alert>
  );
}
