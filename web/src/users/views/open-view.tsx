import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import card from '../../components/page/card.module.css';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import type { ChangeList } from '../list/list-parameters.ts';
import { type Scope, usersPath } from '../scope.ts';
import { viewsQuery } from './queries.ts';
import { parametersOf } from './view-content.ts';

interface OpenViewProps {
  scope: Scope;
  /** The id of the view. */
  id: string;
  change: ChangeList;
}

/** Reads the view that an address names, and replaces the address by that of its list. */
export function OpenView({ scope, id, change }: OpenViewProps) {
  const { data, error, refetch } = useQuery(viewsQuery(scope));
  const view = data?.views.find((one) => one.id === id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is new in each render
  useEffect(() => {
    if (view) change(parametersOf(view));
  }, [view]);
  const isUnknown = data !== undefined && !view;
  return (
    <div>
      <PageHeader title={t.users.title} note={t.users.note(scope.sourceAppId)} />
      <section className={card.card} aria-label={t.users.list} data-wide>
        {error && <LoadError error={error} onRetry={() => void refetch()} />}
        {isUnknown && (
          <EmptyState
            subject="search"
            title={t.users.views.unknown}
            action={
              <Button component={Link} href={usersPath(scope)}>
                {t.users.showAll}
              </Button>
            }
          >
            {t.users.views.unknownNote}
          </EmptyState>
        )}
        {!error && !isUnknown && <TableSkeleton rows={8} />}
      </section>
    </div>
  );
}
