import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import card from '../components/card.module.css';
import { More } from '../components/cursor-pager.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PlusIcon } from '../components/icons.tsx';
import { ListBody } from '../components/list-body.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SearchBox } from '../components/search-box.tsx';
import type { AppRow, OpenDialog } from './app-menu.tsx';
import classes from './apps-page.module.css';
import { AppsTable } from './apps-table.tsx';
import { CreateApp } from './create-app.tsx';
import { DeleteApp } from './delete-app.tsx';
import { type AppOrder, appPagesQuery, appStatsQuery } from './queries.ts';
import { RotatePassword } from './rotate-password.tsx';

const MAX_ID_LENGTH = 80;

/** The administrator's start page: lists all apps with their actions. */
export function AppsPage() {
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
      Create app
    </Button>
  );

  const statsByApp = new Map(stats.flatMap(({ data }) => data?.apps ?? []).map((entry) => [entry.sourceAppId, entry]));
  const rows = apps.data?.pages
    .flatMap((page) => page.apps)
    .map((app): AppRow => {
      const ofApp = statsByApp.get(app.sourceAppId);
      return { ...app, users: ofApp?.users, lastSubmissionAt: ofApp?.lastSubmissionAt };
    });
  const isWhole = q === '' && !apps.hasNextPage && !apps.isPlaceholderData;
  const onlyAdmins = isWhole && rows?.every(({ role }) => role === 'admin');
  return (
    <>
      <PageHeader title="Apps" note="Each app has its own users and its own schema">
        <Button component={Link} href="/new-form" variant="default">
          New app from a template
        </Button>
        {create}
      </PageHeader>
      {apps.error && <LoadError error={apps.error} onRetry={apps.refetch} />}
      <section className={card.card} aria-label="List of apps">
        <search className={classes.search}>
          <SearchBox label="Search apps" value={q} maxLength={MAX_ID_LENGTH} onChange={(text) => go({ q: text })} />
        </search>
        <ListBody
          items={rows}
          error={apps.error}
          rows={5}
          empty={
            <EmptyState
              title="No apps match"
              action={
                <Button variant="default" onClick={() => setSearchParams([])}>
                  Show all apps
                </Button>
              }
            >
              The search matches any part of the app ID.
            </EmptyState>
          }
        >
          {(shown) => <AppsTable rows={shown} order={order} onSort={go} onOpenDialog={setDialog} />}
        </ListBody>
        <More list={apps}>Show more apps</More>
        {onlyAdmins && (
          <EmptyState
            title="Create your first app"
            action={
              <Button component={Link} href="/new-form">
                Start from a template
              </Button>
            }
          >
            Forms, sites and devices submit users to an app. A template has the fields of a common form and gives you a
            page to send it. Or create an empty app and define its fields yourself.
          </EmptyState>
        )}
      </section>
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
