import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { buildUrl, call } from '../api/call.ts';
import type { KeptSubmission } from '../api/endpoints.ts';
import { clickLink } from '../components/content/save-file.ts';
import { DownloadIcon, LeftIcon } from '../components/icons.tsx';
import back from '../components/page/back-link.module.css';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { CursorPager, useCursorPages } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { overviewQuery } from '../overview/queries.ts';
import { useAbilities } from '../session/abilities.tsx';
import { appLabel } from '../session/current-app.ts';
import { useLastLook } from '../session/last-look.ts';
import { t } from '../texts/texts.ts';
import { targetsOf } from '../users/filters/condition.ts';
import { FilterBar } from '../users/filters/filter-bar.tsx';
import { isFiltered, useListParameters } from '../users/list/list-parameters.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { appPath, type Scope, scopeParameter } from '../users/scope.ts';
import classes from './inbox.module.css';
import { InboxRows } from './inbox-rows.tsx';
import { useInboxKeys } from './keys.ts';
import { Message } from './message.tsx';
import { historySettingsQuery, inboxQuery, useKeepsSubmissions } from './queries.ts';

/**
 * Every submission of an app that keeps them, newest first, each as it came.
 * @param props.id the one that is open
 */
export default function InboxPage({ scope, id }: { scope: Scope; id?: string | undefined }) {
  const keeps = useKeepsSubmissions(scope.sourceAppId);
  if (keeps === false) return <KeepsNone scope={scope} />;
  return <Inbox scope={scope} id={id} />;
}

/** The list and, beside it or in its place, the message of the address. */
function Inbox({ scope, id }: { scope: Scope; id: string | undefined }) {
  const can = useAbilities();
  const { parameters, change } = useListParameters();
  const { q, where } = parameters;
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(inboxQuery(scope, parameters, pages.cursor));
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const { data: overview } = useQuery({ ...overviewQuery(scope.sourceAppId), enabled: id !== undefined });
  const app = overview?.apps[0];
  const days = useQuery(historySettingsQuery(scope.sourceAppId)).data?.days;
  const targets = useMemo(() => targetsOf(schema?.fields ?? []), [schema]);
  const isWhole = pages.isFirst && !isFiltered(parameters);
  const lastLook = useLastLook('inbox', scope, isWhole ? data?.submissions[0]?.at : undefined);
  const search = useSearch();
  const state = useHistoryState();
  const [, navigate] = useLocation();
  const pathOf = (to?: string): string =>
    `${appPath(scope, to === undefined ? 'inbox' : `inbox/${to}`)}${search && `?${search}`}`;
  const shown = data?.submissions ?? [];
  const at = shown.findIndex((one) => one.id === id);
  const message = shown[at];
  const opener = (beside: KeptSubmission | undefined) =>
    beside && (() => navigate(pathOf(beside.id), { state, replace: id !== undefined }));
  const go = { previous: at < 0 ? undefined : opener(shown[at - 1]), next: opener(shown[at + 1]) };
  useInboxKeys({
    j: go.next,
    k: go.previous,
    r: message && (() => document.querySelector<HTMLAnchorElement>('[data-reply]')?.click()),
    u: id === undefined ? undefined : () => navigate(pathOf(), { state }),
  });
  return (
    <>
      <PageHeader title={t.inbox.title} note={days ? `${t.inbox.note} ${t.inbox.ends(days)}` : t.inbox.note}>
        {can.export && <ExportInbox scope={scope} filter={{ q, where }} />}
      </PageHeader>
      <section className={card.card} aria-label={t.inbox.title} data-wide>
        <div className={classes.panes} data-open={id !== undefined || undefined}>
          <div className={classes.side}>
            <FilterBar parameters={parameters} change={change} targets={targets} />
            {error && <LoadError error={error} onRetry={refetch} />}
            <ListBody
              items={schema && data?.submissions}
              error={error}
              rows={6}
              empty={<Nothing scope={scope} isFiltered={!isWhole} hasMore={data?.next !== undefined} />}
            >
              {(rows) => (
                <InboxRows
                  submissions={rows}
                  fields={schema?.fields ?? []}
                  lastLook={lastLook}
                  openId={id}
                  hrefOf={pathOf}
                />
              )}
            </ListBody>
            <CursorPager pages={pages} shown={data} />
          </div>
          {id === undefined && shown.length > 0 && <p className={classes.hint}>{t.inbox.choose}</p>}
          {id !== undefined && (
            <div>
              <Link href={pathOf()} state={state} className={classes.back ?? ''}>
                <span className={back.back}>
                  <LeftIcon size={16} /> {t.inbox.back}
                </span>
              </Link>
              {message && schema && (
                <Message
                  key={message.id}
                  scope={scope}
                  message={message}
                  fields={schema.fields}
                  title={app ? appLabel(app) : scope.sourceAppId}
                  go={go}
                />
              )}
              {data && !message && <EmptyState title={t.inbox.notHere}>{t.inbox.notHereNote}</EmptyState>}
            </div>
          )}
        </div>
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
