import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { buildUrl } from '../api/call.ts';
import { DownloadMenu } from '../components/content/download-menu.tsx';
import { inputProps } from '../components/form/input.ts';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { More } from '../components/table/cursor-pager.tsx';
import { ListBody } from '../components/table/list-body.tsx';
import { SearchBox } from '../components/table/search-box.tsx';
import { t } from '../texts/texts.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';
import { ALL_ACTIONS, isAction } from './actions.ts';
import classes from './audit-page.module.css';
import { AuditRows } from './audit-rows.tsx';
import { PersonFilter } from './person-filter.tsx';
import { type AuditFilters, auditParameters, auditQuery } from './queries.ts';

const MAX_ID_LENGTH = 80;
const NO_FILTERS: AuditFilters = { action: '', since: '', actor: '', sourceAppId: '' };
const ACTION_CHOICES = [
  { value: '', label: t.audit.allActions },
  ...ALL_ACTIONS.map((action) => ({ value: action, label: t.audit.actions[action] })),
];

/** The audit log of an app. Without a scope: for an admin, of all apps. */
export default function AuditPage({ scope }: { scope?: Scope }) {
  const ofAllApps = scope === undefined;
  const [filters, setFilters] = useFilters(ofAllApps);
  const selected = scope ? { ...filters, ...scopeParameter(scope) } : filters;
  const events = useInfiniteQuery(auditQuery(selected));
  const exportOf = (format: 'csv' | 'ndjson'): string =>
    buildUrl('/auth/audit/export', {}, { format, ...auditParameters(selected) });
  const rows = events.data?.pages.flatMap((page) => page.events);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <>
      <PageHeader title={t.audit.title} note={t.audit.note}>
        <DownloadMenu
          formats={[
            { name: t.users.export.programs, url: exportOf('csv') },
            { name: t.audit.ndjson, url: exportOf('ndjson') },
          ]}
        />
      </PageHeader>
      <search className={classes.filters}>
        <NativeSelect
          label={t.audit.action}
          data={ACTION_CHOICES}
          {...inputProps(filters.action, (text) => setFilters({ action: text }))}
        />
        <TextInput
          label={t.audit.since}
          type="date"
          {...inputProps(filters.since, (text) => setFilters({ since: text }))}
        />
        <PersonFilter
          sourceAppId={scope?.sourceAppId}
          events={rows ?? []}
          value={filters.actor}
          onChange={(actor) => setFilters({ actor })}
        />
        {ofAllApps && (
          <SearchBox
            label={t.audit.appId}
            value={filters.sourceAppId}
            maxLength={MAX_ID_LENGTH}
            onChange={(sourceAppId) => setFilters({ sourceAppId })}
          />
        )}
      </search>
      {events.error && <LoadError error={events.error} onRetry={events.refetch} />}
      <section className={card.card} aria-label={t.audit.events}>
        <ListBody
          items={rows}
          error={events.error}
          rows={6}
          empty={
            <EmptyState
              subject={isFiltered ? 'search' : 'audit'}
              title={isFiltered ? t.audit.noMatch : t.audit.nothing}
              action={
                isFiltered && (
                  <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
                    {t.audit.showAll}
                  </Button>
                )
              }
            >
              {t.audit.nothingNote}
            </EmptyState>
          }
        >
          {(shown) => <AuditRows events={shown} scope={scope} />}
        </ListBody>
        <More list={events}>{t.audit.showOlder}</More>
      </section>
    </>
  );
}

/** The filters are in the URL, so that a view can be linked. */
function useFilters(ofAllApps: boolean): [AuditFilters, (change: Partial<AuditFilters>) => void] {
  const [searchParams, setSearchParams] = useSearchParams();
  const action = searchParams.get('action') ?? '';
  const since = searchParams.get('since') ?? '';
  const actor = searchParams.get('actor') ?? '';
  const filters: AuditFilters = {
    action: isAction(action) ? action : '',
    actor: /^(?:admin|[0-9a-f]{24})$/.test(actor) ? actor : '',
    since: /^\d{4}-\d{2}-\d{2}$/.test(since) ? since : '',
    sourceAppId: ofAllApps ? (searchParams.get('sourceAppId') ?? '') : '',
  };
  const change = (changes: Partial<AuditFilters>): void => {
    const next = Object.entries({ ...filters, ...changes }).filter(([, value]) => value !== '');
    setSearchParams(next, { replace: true });
  };
  return [filters, change];
}
