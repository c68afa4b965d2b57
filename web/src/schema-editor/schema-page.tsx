import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { hasStatus } from '../api/call.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { type Renaming, useRenaming } from '../background-work/queries.ts';
import { WorkStatus } from '../background-work/work-status.tsx';
import { PlugIcon } from '../components/icons.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { formSettingsQuery } from '../connect/queries.ts';
import { otherLanguages, TranslatedLanguages } from '../languages/languages.ts';
import { AppNotFound, NotFoundPage } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { appPath } from '../users/scope.ts';
import { Editor, TABS } from './editor.tsx';

/** How often an open editor checks for a newer version. */
const POLL_INTERVAL_MS = 10_000;

/** The schema of one app: fields, JSON and versions. For administrators. */
export default function SchemaPage({ sourceAppId, tab = 'fields' }: { sourceAppId: string; tab?: string | undefined }) {
  const newest = useQuery({ ...appSchemaQuery(sourceAppId), refetchInterval: POLL_INTERVAL_MS });
  // The texts of fields are translated into the languages of the form.
  const form = useQuery({ ...formSettingsQuery(sourceAppId), refetchInterval: false });
  const renaming = useRenaming({ sourceAppId, asAdmin: true });
  const activeTab = TABS.find((id) => id === tab);

  if (!activeTab) return <NotFoundPage />;
  if (hasStatus(newest.error, 404)) {
    return <AppNotFound sourceAppId={sourceAppId} path="/apps" action={t.schemaEditor.goToApps} />;
  }
  if (!newest.data)
    return newest.error ? <LoadError error={newest.error} onRetry={newest.refetch} /> : <PageSkeleton />;
  return (
    <>
      <PageHeader
        title={t.schemaEditor.titles[activeTab]}
        note={`${sourceAppId} · ${t.schemaEditor.liveVersionNote(newest.data.schema.version)}`}
      >
        <Button
          component={Link}
          href={appPath({ sourceAppId }, 'share')}
          variant="default"
          leftSection={<PlugIcon size={16} />}
        >
          {t.schemaEditor.connectForm}
        </Button>
      </PageHeader>
      <WorkStatus sourceAppId={sourceAppId} asAdmin fields={newest.data.schema.fields} />
      <RenameNotice renaming={renaming} />
      <TranslatedLanguages value={form.data ? otherLanguages(form.data.settings) : []}>
        <Editor sourceAppId={sourceAppId} newest={newest.data} tab={activeTab} />
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
