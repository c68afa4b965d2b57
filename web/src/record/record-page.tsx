import { Button, Menu } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { hasStatus } from '../api/call.ts';
import { Email } from '../components/content/addresses.tsx';
import { ActionsMenu } from '../components/form/actions-menu.tsx';
import { PenIcon, TrashIcon } from '../components/icons.tsx';
import { BackLink } from '../components/page/back-link.tsx';
import { canRepeat, LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { formSettingsQuery } from '../connect/queries.ts';
import { useKeepsSubmissions } from '../inbox/queries.ts';
import { SubmissionsLink } from '../inbox/submissions-link.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { NotFound } from '../shell/not-found-page.tsx';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { schemaVersionQuery, scopedSchemaQuery } from '../users/queries.ts';
import { type Scope, usersPath } from '../users/scope.ts';
import { EditDialog } from './editing/edit-form.tsx';
import { EmailDialog } from './editing/email-dialog.tsx';
import { type Removal, RemovalDialog } from './editing/removal.tsx';
import { EraseUser } from './erase-user.tsx';
import { HistoryCard } from './history/history-card.tsx';
import { Neighbours } from './neighbours.tsx';
import { historyQuery, recordQuery, type StoredRecord } from './queries.ts';
import { RecordFacts } from './record-facts.tsx';
import { RecordFiles } from './record-files.tsx';
import classes from './record-page.module.css';
import { RecordView } from './record-view.tsx';
import { SendEntryLink } from './send-entry-link.tsx';

/** Shows one record under the schema version of its newest submission. */
export default function RecordPage({ id, scope }: { id: string; scope: Scope }) {
  const can = useAbilities();
  const [, navigate] = useLocation();
  const [erasing, setErasing] = useState(false);
  const [editing, setEditing] = useState<StoredRecord>();
  const [removal, setRemoval] = useState<Removal>();
  const [readdressing, setReaddressing] = useState(false);
  const record = useQuery(recordQuery(scope, id));
  const version = record.data?.record.schemaVersion;
  const schema = useQuery({ ...schemaVersionQuery(scope, version ?? 1), enabled: version !== undefined });
  const newest = useQuery(scopedSchemaQuery(scope));
  const keeps = useKeepsSubmissions(scope.sourceAppId);
  const history = useInfiniteQuery(historyQuery(scope, id));
  const settings = useQuery({ ...formSettingsQuery(scope.sourceAppId), refetchInterval: false });

  if (hasStatus(record.error, 400) || hasStatus(record.error, 404))
    return (
      <NotFound
        heading={t.record.notFound}
        title={t.record.noSuchUser}
        note={t.record.notFoundNote}
        path={usersPath(scope)}
        action={t.record.goToUsers}
      />
    );
  const error = record.error ?? schema.error;
  const problem = error && (
    <LoadError error={error} onRetry={() => Promise.all([record.refetch(), schema.refetch()])} />
  );
  // A read that can succeed later leaves the page, and what is typed in its dialogs.
  if (!record.data || !schema.data || (error && !canRepeat(error))) return problem ?? <PageSkeleton />;
  const { email } = record.data.record;
  const stored = record.data;
  const ownChange = history.data?.pages.flatMap(({ entries }) => entries).find(({ by }) => by.kind === 'person');
  const hasDialog = erasing || readdressing || editing !== undefined || removal !== undefined;
  const editable = newest.data?.fields.filter(({ kind }) => kind !== 'array' && kind !== 'file') ?? [];
  return (
    <>
      <div className={classes.back}>
        <BackLink path={usersPath(scope)} name={t.record.users} />
        {/* Another key with a dialog: an answer that comes then leads to no other record. */}
        <Neighbours key={String(hasDialog)} scope={scope} id={id} />
      </div>
      {problem}
      <PageHeader title={email} heading={<Email>{email}</Email>}>
        {can.edit && (
          <>
            <Button
              variant="default"
              leftSection={<PenIcon size={16} />}
              disabled={editable.length === 0}
              onClick={() => setEditing(stored)}
            >
              {t.common.edit}
            </Button>
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<TrashIcon size={16} />}
              onClick={() => setErasing(true)}
            >
              {t.record.erase}
            </Button>
            <ActionsMenu name={email}>
              <Menu.Item onClick={() => setReaddressing(true)}>{t.record.email.action}</Menu.Item>
              <SendEntryLink scope={scope} id={id} email={email} />
            </ActionsMenu>
          </>
        )}
      </PageHeader>
      <RecordFacts
        record={stored.record}
        newestVersion={newest.data?.version}
        asksToConfirm={settings.data && settings.data.settings.doubleOptIn === true}
        changedByPerson={ownChange?.at}
        submissions={keeps && <SubmissionsLink scope={scope} email={email} />}
      />
      <RecordView
        record={stored.record}
        schema={schema.data}
        newestVersion={newest.data?.version}
        filesOf={(field) => (
          <RecordFiles scope={scope} stored={stored} field={field} onRemove={can.edit ? setRemoval : undefined} />
        )}
        {...(can.edit && { onRemove: setRemoval })}
      />
      <div className={classes.history}>
        <HistoryCard scope={scope} id={id} fields={newest.data?.fields ?? schema.data.fields} canUndo={can.edit} />
      </div>
      <EditDialog
        title={t.record.editTitle(email)}
        scope={scope}
        stored={editing}
        fields={editable}
        onClose={() => setEditing(undefined)}
      />
      <EmailDialog scope={scope} stored={stored} opened={readdressing} onClose={() => setReaddressing(false)} />
      <RemovalDialog scope={scope} stored={stored} removal={removal} onClose={() => setRemoval(undefined)} />
      <EraseUser
        user={stored.record}
        scope={scope}
        opened={erasing}
        onClose={() => setErasing(false)}
        onErased={() => navigate(usersPath(scope), { replace: true })}
      />
    </>
  );
}
