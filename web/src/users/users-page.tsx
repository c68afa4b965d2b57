import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { hasStatus, issueAt, issuesText } from '../api/call.ts';
import { WorkStatus } from '../background-work/work-status.tsx';
import { PenIcon, TableIcon, UploadIcon } from '../components/icons.tsx';
import card from '../components/page/card.module.css';
import { EmptyState } from '../components/page/empty-state.tsx';
import { canRepeat, LoadError } from '../components/page/load-error.tsx';
import { loadLater } from '../components/page/load-later.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { TableSkeleton } from '../components/table/table-skeleton.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { useLastLook } from '../session/last-look.ts';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { t } from '../texts/texts.ts';
import { BreakdownChoice } from './breakdown/breakdown-choice.tsx';
import type { ChangedUsers } from './bulk-change/change-preview.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { useUserColumns } from './columns.tsx';
import { EraseMatching } from './erase-matching.tsx';
import { ExportMenu } from './export/export-menu.tsx';
import { conditionWords, parseCondition, type Target, targetOf, targetsOf } from './filters/condition.ts';
import { FilterBar } from './filters/filter-bar.tsx';
import { missingParts, withoutParts } from './list/link-parts.ts';
import { type ChangeList, isFiltered, type ListParameters, useListParameters } from './list/list-parameters.ts';
import { ListSummary, SearchProgress, SortedByText, SortedInPart } from './list/list-summary.tsx';
import { lastPageOf, useUserCount } from './list/use-user-count.ts';
import { type UserList, useUserList } from './list/use-user-list.ts';
import { ListAction } from './list-action.tsx';
import { scopedSchemaQuery } from './queries.ts';
import { appPath, type Scope, usersPath } from './scope.ts';
import { SelectionBar } from './selection/selection-bar.tsx';
import { useSelection } from './selection/use-selection.ts';
import classes from './users-page.module.css';
import { UsersTable } from './users-table.tsx';
import { viewsQuery } from './views/queries.ts';
import { openedView } from './views/view-content.ts';
import { ViewsMenu } from './views/views-menu.tsx';

const changing = loadLater(() => import('./bulk-change/change-users.tsx').then(({ ChangeDialog }) => ChangeDialog));
const recent = loadLater(() => import('./bulk-change/recent-changes.tsx').then(({ RecentChanges }) => RecentChanges));
const breakdown = loadLater(() =>
  import('./breakdown/breakdown-panel.tsx').then(({ BreakdownPanel }) => BreakdownPanel),
);
const opening = loadLater(() => import('./views/open-view.tsx').then(({ OpenView }) => OpenView));
const stats = loadLater(() => import('./user-stats.tsx').then(({ UserStats }) => UserStats));
const searchIndex = loadLater(() => import('./search-index.tsx').then(({ SearchIndex }) => SearchIndex));
const missing = loadLater(() => import('./views/missing-parts.tsx').then(({ MissingParts }) => MissingParts));
const pager = loadLater(() => import('./list/user-pager.tsx').then(({ UserPager }) => UserPager));
const formerLink = loadLater(() => import('./list/former-link.tsx').then(({ FormerLink }) => FormerLink));

/** A filter that all users match: a change of many users needs one. */
const EVERYBODY = { q: '', where: ['email:exists:true'] };

/** Lists the users of an app, newest first by default. The operator's start page. */
export function UsersPage({ scope }: { scope: Scope }) {
  const { parameters, change } = useListParameters();
  const { id, revision } = openedView(parameters);
  if (id === '' || revision !== undefined) return <UserListPage scope={scope} />;
  return (
    <Suspense fallback={<PageSkeleton />}>
      <opening.Part scope={scope} id={id} change={change} />
    </Suspense>
  );
}

function UserListPage({ scope }: { scope: Scope }) {
  changing.usePreload();
  breakdown.usePreload();
  const can = useAbilities();
  const { parameters: named, cursor, change } = useListParameters();
  const schema = useQuery(scopedSchemaQuery(scope));
  const unknown = schema.data ? missingParts(named, schema.data.fields) : [];
  const parameters = withoutParts(named, unknown);
  const list = useUserList(scope, parameters, cursor);
  const hasChanged = list.users?.some(({ createdAt, updatedAt }) => createdAt !== updatedAt);
  const columns = useUserColumns(scope.sourceAppId, parameters.columns, change, schema.data?.fields, hasChanged);
  // What is later stays marked until the page is left.
  const lastLook = useLastLook('users', scope, isFiltered(parameters) ? undefined : newestOf(list.users)) || undefined;
  const targets = useMemo(() => targetsOf(schema.data?.fields ?? []), [schema.data]);
  const [isEditing, setEditing] = useState(false);
  const [changed, setChanged] = useState<ChangedUsers>();
  const counted = useUserCount(scope, parameters, list);
  const selection = useSelection(JSON.stringify([parameters.q, parameters.where]));
  const views = useQuery({ ...viewsQuery(scope), enabled: parameters.view !== '' });
  const view = views.data?.views.find(({ id }) => id === openedView(parameters).id);
  const isOfFilter = isFiltered(parameters);
  // Before the schema is known, the list may name a field that no longer exists.
  const error = schema.error ?? (schema.data ? list.error : null);
  // A read that can succeed later leaves the list, and what is typed in its dialogs.
  const isShown = !error || canRepeat(error);

  return (
    <div className={classes.page}>
      <PageHeader title={t.users.title} note={t.users.note(scope.sourceAppId)}>
        <ViewsMenu scope={scope} parameters={parameters} columns={columns.shown} change={change} />
        <ColumnChooser columns={columns} />
        {can.import && (
          <Button
            component={Link}
            href={appPath(scope, 'import')}
            variant="default"
            leftSection={<UploadIcon size={16} />}
          >
            {t.users.import}
          </Button>
        )}
        {can.export && <ExportMenu scope={scope} filter={parameters} count={counted.count} columns={columns} />}
      </PageHeader>
      {view && schema.data && (
        <Suspense>
          <missing.Part
            title={t.users.views.incomplete(view.name)}
            note={t.users.views.incompleteNote}
            missing={view.missing}
            fields={schema.data.fields}
          />
        </Suspense>
      )}
      {unknown.length > 0 && schema.data && (
        <Suspense>
          <formerLink.Part scope={scope} parameters={named} fields={schema.data.fields} change={change} />
        </Suspense>
      )}
      <Suspense>
        <stats.Part scope={scope} filter={parameters} count={counted.count} />
      </Suspense>
      <WorkStatus {...scope} fields={schema.data?.fields} />
      {can.edit && schema.data && (
        <Suspense>
          <recent.Part scope={scope} fields={schema.data.fields} />
        </Suspense>
      )}
      <section className={card.card} aria-label={t.users.list} data-wide>
        <FilterBar parameters={parameters} change={change} targets={targets} />
        <Suspense>
          <searchIndex.Part scope={scope} />
        </Suspense>
        {error && <ListError error={error} parameters={parameters} targets={targets} list={list} change={change} />}
        {!error && !(list.users && schema.data) && <TableSkeleton rows={8} />}
        {isShown && list.users && schema.data && (
          <>
            <SelectionBar
              scope={scope}
              selection={selection}
              columns={columns}
              hasUsers={list.users.length > 0}
              onChange={() => setChanged({ selected: selection.emails })}
            >
              {list.users.length > 0 && (
                <ListSummary counted={counted} isOfFilter={isOfFilter}>
                  <BreakdownChoice by={parameters.by} targets={targets} change={change} />
                  {can.edit && (
                    <ListAction
                      Icon={TableIcon}
                      variant={isEditing ? 'light' : 'subtle'}
                      aria-pressed={isEditing}
                      onClick={() => setEditing(!isEditing)}
                    >
                      {t.users.editInTable}
                    </ListAction>
                  )}
                  {can.edit && (
                    <ListAction
                      Icon={PenIcon}
                      onClick={() => setChanged({ filter: isOfFilter ? parameters : EVERYBODY })}
                    >
                      {t.users.change.open}
                    </ListAction>
                  )}
                  {can.edit && isOfFilter && <EraseMatching scope={scope} filter={parameters} />}
                </ListSummary>
              )}
            </SelectionBar>
            {parameters.by !== '' && (
              <Suspense fallback={<TableSkeleton rows={4} />}>
                <breakdown.Part scope={scope} parameters={parameters} change={change} targets={targets} />
              </Suspense>
            )}
            {parameters.sort !== '' && <SortedByText target={targetOf(parameters.sort, targets)} />}
            {list.state === 'partlySorted' && (
              <SortedInPart scope={scope} target={targetOf(parameters.sort, targets)} />
            )}
            {list.users.length > 0 && (
              <UsersTable
                users={list.users}
                columns={columns}
                parameters={parameters}
                change={change}
                path={usersPath(scope)}
                editing={isEditing ? { scope, fields: schema.data.fields } : undefined}
                selection={selection}
                next={list.next}
                lastLook={lastLook}
                stale={list.isStale}
              />
            )}
            <SearchProgress list={list} />
            {list.users.length === 0 && list.state === 'whole' && (
              <NoUsers scope={scope} parameters={parameters} change={change} />
            )}
            <Suspense>
              <pager.Part
                parameters={parameters}
                list={list}
                count={counted.count}
                lastPage={lastPageOf(parameters, counted.count, schema.data.fields)}
                change={change}
              />
            </Suspense>
          </>
        )}
      </section>
      {changed && (
        <Suspense>
          <changing.Part scope={scope} users={changed} onClose={() => setChanged(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

const newestOf = (users: UserList['users']): string | undefined =>
  users?.map(({ updatedAt }) => updatedAt).reduce((one, other) => (one > other ? one : other), '') || undefined;

interface ListProps {
  parameters: ListParameters;
  change: ChangeList;
}

/** A page with a high number may not be reachable in an order without an index. */
function ListError(props: ListProps & { error: Error; targets: readonly Target[]; list: UserList }) {
  const { error, parameters, targets, list, change } = props;
  if (hasStatus(error, 400) && issueAt(error, 'skip') !== undefined) {
    return (
      <EmptyState
        subject="search"
        title={t.users.notDirectly}
        action={<Button onClick={() => change({})}>{t.users.firstPage}</Button>}
      >
        {t.users.notDirectlyNote}
      </EmptyState>
    );
  }
  const issues = issuesText(error, (path) => placeOf(path, parameters, targets));
  return (
    <LoadError
      error={error}
      message={issues === '' ? error.message : `${error.message}: ${issues}`}
      onRetry={list.reload}
    >
      <Button variant="default" size="xs" mt="sm" onClick={() => change({ q: '', where: [], sort: '', by: '' })}>
        {t.users.showAll}
      </Button>
    </LoadError>
  );
}

/** The part of a query that a path of the API names, such as `where.0`. */
function placeOf(path: string, { where }: ListParameters, targets: readonly Target[]): string {
  const [part = '', index] = path.split('.');
  const condition = part === 'where' ? where[Number(index)] : undefined;
  if (condition !== undefined) {
    const parsed = parseCondition(condition);
    return t.users.places.filter(conditionWords(parsed, targetOf(parsed.path, targets)));
  }
  const names: Record<string, string> = t.users.places.parts;
  return names[part] ?? t.users.places.link;
}

function NoUsers({ scope, parameters, change }: ListProps & { scope: Scope }) {
  const can = useAbilities();
  if (parameters.page > 1) {
    return (
      <EmptyState
        subject="search"
        title={t.users.emptyPage}
        action={<Button onClick={() => change({})}>{t.users.firstPage}</Button>}
      >
        {t.users.fewerPages}
      </EmptyState>
    );
  }
  if (isFiltered(parameters)) {
    return (
      <EmptyState
        subject="search"
        title={t.users.noMatch}
        action={
          <Button variant="default" onClick={() => change({ q: '', where: [] })}>
            {t.users.showAll}
          </Button>
        }
      >
        {t.users.noMatchNote}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      subject="users"
      title={t.users.none}
      action={
        <Group justify="center" gap="sm">
          <Button component={Link} href={appPath(scope, 'share')}>
            {t.users.connect}
          </Button>
          {can.import && (
            <Button component={Link} href={appPath(scope, 'import')} variant="default">
              {t.users.importFile}
            </Button>
          )}
        </Group>
      }
    >
      {t.users.noneNote}
    </EmptyState>
  );
}
