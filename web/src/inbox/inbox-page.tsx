import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { buildUrl } from '../api/call.ts';
import type { KeptSubmission } from '../api/endpoints.ts';
import { DownloadMenu } from '../components/content/download-menu.tsx';
import { ActionsMenu } from '../components/form/actions-menu.tsx';
import { LeftIcon } from '../components/icons.tsx';
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
import { isFiltered } from '../users/list/list-parameters.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { appPath, type Scope, scopeParameter } from '../users/scope.ts';
import { FOLDERS, type Folder, useInboxParameters } from './folders.ts';
import classes from './inbox.module.css';
import { InboxRows } from './inbox-rows.tsx';
import { useInboxKeys } from './keys.ts';
import { Message } from './message.tsx';
import {
  filterParameters,
  historySettingsQuery,
  type InboxFilter,
  inboxQuery,
  readNewestTime,
  useKeepsSubmissions,
  useMove,
} from './queries.ts';
import { useUnread } from './unread.ts';

/**
 * Every submission of an app that keeps them, newest first, each as it came.
 * @param props.id the one that is open
 */
export default function InboxPage({ scope, id }: { scope: Scope; id?: string | undefined }) {
  const keeps = useKeepsSubmissions(scope.sourceAppId);
  if (keeps === false) return <KeepsNone scope={scope} />;
  return <Inbox key={scope.sourceAppId} scope={scope} id={id} />;
}

/** The list and, beside it or in its place, the message of the address. */
function Inbox({ scope, id }: { scope: Scope; id: string | undefined }) {
  const can = useAbilities();
  const { parameters, folder, change, searchIn } = useInboxParameters();
  const filter = { ...parameters, folder };
  const pages = useCursorPages();
  const { data, error, refetch } = useQuery(inboxQuery(scope, filter, pages.cursor));
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const { data: overview } = useQuery({ ...overviewQuery(scope.sourceAppId), enabled: id !== undefined });
  const app = overview?.apps[0];
  const days = useQuery(historySettingsQuery(scope.sourceAppId)).data?.days;
  const targets = useMemo(() => targetsOf(schema?.fields ?? []), [schema]);
  const isWhole = pages.isFirst && !isFiltered(parameters);
  const hasNewest = isWhole && folder !== 'done' && data !== undefined;
  const newest = hasNewest ? (data.submissions[0]?.at ?? '') : undefined;
  const lastLook = useLastLook('inbox', scope, newest);
  // Who never looked has read what is there.
  const unread = useUnread(scope, lastLook === '' ? newest : lastLook);
  const search = useSearch();
  const state = useHistoryState();
  const [, navigate] = useLocation();
  const pathOf = (to?: string): string =>
    `${appPath(scope, to === undefined ? 'inbox' : `inbox/${to}`)}${search && `?${search}`}`;
  const shown = data?.submissions ?? [];
  const at = shown.findIndex((one) => one.id === id);
  const message = shown[at];
  const move = useMove(scope);
  const opener = (beside: KeptSubmission | undefined) =>
    beside && (() => navigate(pathOf(beside.id), { state, replace: id !== undefined }));
  const go = { previous: at < 0 ? undefined : opener(shown[at - 1]), next: opener(shown[at + 1]) };
  const moveOn =
    message && can.edit
      ? (): void => {
          move(message);
          const next = shown[at + 1];
          navigate(pathOf(next?.id), { state, replace: next !== undefined });
        }
      : undefined;
  useEffect(() => {
    unread.begin();
    if (message && unread.has(message)) unread.open(message);
  });
  useInboxKeys({
    e: moveOn,
    j: go.next,
    k: go.previous,
    r: message && (() => document.querySelector<HTMLAnchorElement>('[data-reply]')?.click()),
    u: id === undefined ? undefined : () => navigate(pathOf(), { state }),
  });
  return (
    <>
      <PageHeader title={t.inbox.title} note={days ? `${t.inbox.note} ${t.inbox.ends(days)}` : t.inbox.note}>
        {can.export && <ExportInbox scope={scope} filter={filter} />}
      </PageHeader>
      <section className={card.card} aria-label={t.inbox.title} data-wide>
        <div className={classes.panes} data-open={id !== undefined || undefined}>
          <div className={classes.side}>
            <div className={classes.top}>
              <Folders scope={scope} folder={folder} searchIn={searchIn} />
              <ReadAll scope={scope} onRead={unread.readUntil} />
            </div>
            <FilterBar parameters={parameters} change={change} targets={targets} />
            {error && <LoadError error={error} onRetry={refetch} />}
            <ListBody
              items={schema && data?.submissions}
              error={error}
              rows={6}
              empty={
                <Nothing scope={scope} filter={filter} isPart={!isWhole} isLast={!data?.next} searchIn={searchIn} />
              }
            >
              {(rows) => (
                <InboxRows
                  submissions={rows}
                  fields={schema?.fields ?? []}
                  isUnread={unread.has}
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
                  move={moveOn}
                />
              )}
              {data && !message && (
                <EmptyState
                  title={t.inbox.notHere}
                  action={
                    folder !== 'all' && (
                      <Button component={Link} href={appPath(scope, `inbox/${id}`) + searchIn('all')} variant="default">
                        {t.inbox.searchAll}
                      </Button>
                    )
                  }
                >
                  {t.inbox.notHereNote}
                </EmptyState>
              )}
            </div>
          )}
        </div>
      </section>
    </>
  );
}

interface FolderProps {
  scope: Scope;
  searchIn: (folder: Folder) => string;
}

/** Links to the same search in each folder. */
function Folders({ scope, folder, searchIn }: FolderProps & { folder: Folder }) {
  return (
    <nav className={classes.folders} aria-label={t.inbox.messages}>
      {FOLDERS.map((one) => (
        <Link
          key={one}
          href={appPath(scope, 'inbox') + searchIn(one)}
          className={classes.folder ?? ''}
          aria-current={one === folder ? 'page' : undefined}
        >
          {t.inbox.folders[one]}
        </Link>
      ))}
    </nav>
  );
}

interface NothingProps extends FolderProps {
  filter: InboxFilter;
  /** Whether the list is a part of its folder. */
  isPart: boolean;
  isLast: boolean;
}

function Nothing({ scope, filter, isPart, isLast, searchIn }: NothingProps) {
  const { folder } = filter;
  const isOpen = folder === 'open' && !isPart;
  const done = useQuery({ ...inboxQuery(scope, { q: '', where: [], folder: 'done' }, undefined), enabled: isOpen });
  if (!isLast) return <EmptyState title={t.inbox.noneYet}>{t.inbox.noneYetNote}</EmptyState>;
  const linkTo = (other: Folder, words: string) => (
    <Button component={Link} href={appPath(scope, 'inbox') + searchIn(other)} variant="default">
      {words}
    </Button>
  );
  if (isPart) {
    return (
      <EmptyState title={t.inbox.noMatch} action={folder !== 'all' && linkTo('all', t.inbox.searchAll)}>
        {folder === 'all' ? t.users.noMatchNote : t.inbox.searchedOnly[folder]}
      </EmptyState>
    );
  }
  if (folder === 'done') return <EmptyState title={t.inbox.noneDone}>{t.inbox.noneDoneNote}</EmptyState>;
  if (isOpen && !done.data) return null;
  if (done.data && done.data.submissions.length > 0) {
    return (
      <EmptyState title={t.inbox.allDone} action={linkTo('done', t.inbox.showDone)}>
        {t.inbox.nothingNote}
      </EmptyState>
    );
  }
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

/** A menu that marks all messages of the app as read. */
function ReadAll({ scope, onRead }: { scope: Scope; onRead: (until: string) => void }) {
  const read = useMutation({
    mutationFn: () => readNewestTime(scope),
    onSuccess: (newest) => newest !== undefined && onRead(newest),
    onError: ({ message }) => notifications.show({ color: 'red', title: t.inbox.notRead, message }),
  });
  return (
    <ActionsMenu name={t.inbox.title}>
      <Menu.Item onClick={() => read.mutate()}>{t.inbox.readAll}</Menu.Item>
    </ActionsMenu>
  );
}

interface ExportProps {
  scope: Scope;
  filter: InboxFilter;
}

function ExportInbox({ scope, filter }: ExportProps) {
  const urlOf = (format: 'csv' | 'ndjson'): string =>
    buildUrl('/auth/submissions/export', {}, { format, ...scopeParameter(scope), ...filterParameters(filter) });
  return (
    <DownloadMenu
      formats={[
        { name: t.users.export.programs, url: urlOf('csv') },
        { name: t.users.export.ndjson, url: urlOf('ndjson') },
      ]}
    />
  );
}
