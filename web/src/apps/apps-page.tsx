import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { PenIcon, PlusIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { More } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { SearchBox } from '../components/table/search-box.tsx';
import { t } from '../texts/texts.ts';
import type { AppRow, OpenDialog } from './app-menu.tsx';
import classes from './apps-page.module.css';
import { AppsTable } from './apps-table.tsx';
import { CreateApp } from './create-app.tsx';
import { DeleteApp } from './delete-app.tsx';
import { type AppOrder, appPagesQuery, appStatsQuery } from './queries.ts';
import { RotatePassword } from './rotate-password.tsx';

const MAX_ID_LENGTH = 80;

/** The administrator's start page: lists all apps with their actions. */
export default function AppsPage() {
  const [searchParams, setSearchParams] = useSearchParams();
  const q = searchParams.get('q') ?? '';
  const order = orderOf(searchParams);
  const go = (change: { q?: string } & Partial<AppOrder>): void => {
    const next = { q, ...order, ...change };
    const isDefault = next.sort === 'sourceAppId' && next.order === 'asc';
    const { q: text, ...ordered } = next;
    setSearchParams([...(text === '' ? [] : [['q', text]]), ...(isDefault ? [] : Object.entries(ordered))], {
      replace: true,
    });
  };
  const apps = useInfiniteQuery(appPagesQuery(q, order));
  const stats = useQueries({
    queries: (apps.data?.pages ?? []).map((page) => appStatsQuery(page.apps.map(({ sourceAppId }) => sourceAppId))),
  });
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setDialog({ kind: 'create' })}>
      {t.apps.createApp}
    </Button>
  );

  const statsByApp = new Map(stats.flatMap(({ data }) => data?.apps ?? []).map((entry) => [entry.sourceAppId, entry]));
  const all = apps.data?.pages
    .flatMap((page) => page.apps)
    .map((app): AppRow => {
      const ofApp = statsByApp.get(app.sourceAppId);
      return { ...app, id: app.sourceAppId, users: ofApp?.users, lastSubmissionAt: ofApp?.lastSubmissionAt };
    });
  // Administrators log in with the password of an app that has no records.
  const rows = all?.filter(({ role }) => role !== 'admin');
  const admins = all?.filter(({ role }) => role === 'admin') ?? [];
  const isNew = q === '' && !apps.hasNextPage && !apps.isPlaceholderData && rows?.length === 0;
  return (
    <>
      <PageHeader title={t.apps.title} note={t.apps.note}>
        <Button component={Link} href="/new-form" variant="default" leftSection={<PenIcon size={16} />}>
          {t.apps.newFromTemplate}
        </Button>
        {create}
      </PageHeader>
      {apps.error && <LoadError error={apps.error} onRetry={apps.refetch} />}
      <section className={card.card} aria-label={t.apps.list}>
        <search className={classes.search}>
          <SearchBox label={t.apps.search} value={q} maxLength={MAX_ID_LENGTH} onChange={(text) => go({ q: text })} />
        </search>
        <ListBody
          items={rows}
          error={apps.error}
          rows={5}
          empty={
            isNew ? (
              <EmptyState
                subject="apps"
                title={t.apps.firstTitle}
                action={
                  <Button component={Link} href="/new-form">
                    {t.apps.startFromTemplate}
                  </Button>
                }
              >
                {t.apps.firstNote}
              </EmptyState>
            ) : (
              <EmptyState
                subject="search"
                title={t.apps.noMatch}
                action={
                  <Button variant="default" onClick={() => setSearchParams([])}>
                    {t.apps.showAll}
                  </Button>
                }
              >
                {t.apps.noMatchNote}
              </EmptyState>
            )
          }
        >
          {(shown) => <AppsTable rows={shown} order={order} onSort={go} onOpenDialog={setDialog} />}
        </ListBody>
        <More list={apps}>{t.apps.showMore}</More>
      </section>
      {admins.map((app) => (
        <div key={app.id} className={classes.admins}>
          <Text c="dimmed">{t.apps.adminLogIn(app.id)}</Text>
          <Button size="compact-sm" variant="subtle" onClick={() => setDialog({ kind: 'rotate', app })}>
            {t.apps.rotatePassword}
          </Button>
        </div>
      ))}
      <CreateApp opened={dialog?.kind === 'create'} onClose={close} />
      <RotatePassword app={dialog?.kind === 'rotate' ? dialog.app : undefined} onClose={close} />
      <DeleteApp app={dialog?.kind === 'delete' ? dialog.app : undefined} onClose={close} />
    </>
  );
}

function orderOf(searchParams: URLSearchParams): AppOrder {
  const sort = searchParams.get('sort');
  return {
    sort: sort === 'createdAt' || sort === 'lastSubmissionAt' ? sort : 'sourceAppId',
    order: searchParams.get('order') === 'desc' ? 'desc' : 'asc',
  };
}
