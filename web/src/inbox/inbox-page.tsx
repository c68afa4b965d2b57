import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { buildUrl, call } from '../api/call.ts';
import { clickLink } from '../components/content/save-file.ts';
import { DownloadIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { CursorPager, useCursorPages } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { useLastLook } from '../session/last-look.ts';
import { t } from '../texts/texts.ts';
import { targetsOf } from '../users/filters/condition.ts';
import { FilterBar } from '../users/filters/filter-bar.tsx';
import { isFiltered, useListParameters } from '../users/list/list-parameters.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { appPath, type Scope, scopeParameter } from '../users/scope.ts';
import { InboxRows } from './inbox-rows.tsx';
import { historySettingsQuery, inboxQuery, useKeepsSubmissions } from './queries.ts';

/** Every submission of an app that keeps them, newest first, each as it came. */
export default function InboxPage({ scope }: { scope: Scope }) {
  const keeps = useKeepsSubmissions(scope.sourceAppId);
  if (keeps === false) return <KeepsNone scope={scope} />;
  return <Inbox scope={scope} />;
}

function Inbox({ scope }: { scope: Scope }) {
  const can = useAbilities();
  const { parameters, change } = useListParameters();
  const { q, where } = parameters;
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(inboxQuery(scope, parameters, pages.cursor));
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const days = useQuery(historySettingsQuery(scope.sourceAppId)).data?.days;
  const targets = useMemo(() => targetsOf(schema?.fields ?? []), [schema]);
  const isWhole = pages.isFirst && !isFiltered(parameters);
  const lastLook = useLastLook('inbox', scope, isWhole ? data?.submissions[0]?.at : undefined);
  return (
    <>
      <PageHeader title={t.inbox.title} note={days ? `${t.inbox.note} ${t.inbox.ends(days)}` : t.inbox.note}>
        {can.export && <ExportInbox scope={scope} filter={{ q, where }} />}
      </PageHeader>
      <section className={card.card} aria-label={t.inbox.title} data-wide>
        <FilterBar parameters={parameters} change={change} targets={targets} />
        {error && <LoadError error={error} onRetry={refetch} />}
        <ListBody
          items={schema && data?.submissions}
          error={error}
          rows={6}
          empty={<Nothing scope={scope} isFiltered={!isWhole} hasMore={data?.next !== undefined} />}
        >
          {(shown) => <InboxRows scope={scope} submissions={shown} fields={schema?.fields ?? []} lastLook={lastLook} />}
        </ListBody>
        <CursorPager pages={pages} shown={data} />
      </section>
    </>
  );
}

function Nothing({ scope, isFiltered: isPart, hasMore }: { scope: Scope; isFiltered: boolean; hasMore: boolean }) {
  if (hasMore) return <EmptyState title={t.inbox.noneYet}>{t.inbox.noneYetNote}</EmptyState>;
  if (isPart) return <EmptyState title={t.inbox.noMatch}>{t.users.noMatchNote}</EmptyState>;
  return (
    <EmptyState
      title={t.inbox.nothing}
      action={
        <Button component={Link} href={appPath(scope, 'share')}>
          {t.users.connect}
        </Button>
      }
    >
      {t.inbox.nothingNote}
    </EmptyState>
  );
}

function KeepsNone({ scope }: { scope: Scope }) {
  const { manage, export: mayExport } = useAbilities();
  return (
    <>
      <PageHeader title={t.inbox.title} />
      <EmptyState
        title={t.inbox.keepsNone}
        action={
          manage &&
          mayExport && (
            <Button component={Link} href={appPath(scope, 'privacy')} variant="default">
              {t.inbox.goToSettings}
            </Button>
          )
        }
      >
        {t.inbox.keepsNoneNote}
      </EmptyState>
    </>
  );
}

interface ExportProps {
  scope: Scope;
  filter: { q: string; where: readonly string[] };
}

function ExportInbox({ scope, filter: { q, where } }: ExportProps) {
  const download = useMutation({
    // Checks the session first: a rejected download would be saved as a file with an error message.
    mutationFn: async (format: 'csv' | 'ndjson') => {
      await call('GET /auth/session');
      const query = { format, ...scopeParameter(scope), ...(q !== '' && { q }), where };
      clickLink(buildUrl('/auth/submissions/export', {}, query));
    },
    onError: (error) => notifications.show({ color: 'red', title: t.users.export.failed, message: error.message }),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<DownloadIcon size={16} />}>
          {t.users.export.title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download.mutate('csv')}>{t.users.export.programs}</Menu.Item>
        <Menu.Item onClick={() => download.mutate('ndjson')}>{t.users.export.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
