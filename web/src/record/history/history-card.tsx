import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Field, HistoryEntry } from '../../api/endpoints.ts';
import { authorId, authorName } from '../../components/content/author.ts';
import { Time } from '../../components/content/time.tsx';
import { labelOf, nameOfKey } from '../../components/form/labels.ts';
import { Problem } from '../../components/form/problem.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { FullValue } from '../full-value.tsx';
import { historyQuery, revertChange, showStored } from '../queries.ts';
import view from '../record-view.module.css';
import timeline from '../timeline.module.css';
import classes from './history-card.module.css';
import { showDone } from './undo-notice.tsx';

interface HistoryCardProps {
  scope: Scope;
  id: string;
  /** The fields of the newest schema, for names and choices. */
  fields: readonly Field[];
  /** Whether the reader may undo changes. */
  canUndo: boolean;
}

/** The changes of a record, newest first. */
export function HistoryCard({ scope, id, fields, canUndo }: HistoryCardProps) {
  const history = useInfiniteQuery(historyQuery(scope, id));
  const client = useQueryClient();
  const revert = useMutation({
    mutationFn: (revision: number) => revertChange(scope, id, revision),
    onSuccess: (stored) => {
      showStored(client, stored);
      showDone();
    },
  });
  const entries = history.data?.pages.flatMap((page) => page.entries);
  return (
    <section className={view.card} aria-labelledby="history">
      <div className={view.heading}>
        <h2 id="history" className={view.title}>
          {t.record.history.title}
        </h2>
      </div>
      {history.error && <LoadError error={history.error} onRetry={history.refetch} />}
      {!entries && !history.error && <TableSkeleton rows={2} />}
      {entries?.length === 0 && (
        <Text size="md" c="dimmed" p="md" px={20}>
          {t.record.history.nothing}
        </Text>
      )}
      {entries && entries.length > 0 && (
        <ol className={timeline.timeline} aria-labelledby="history">
          {entries.map((entry) => (
            <li key={entry.revision} className={timeline.item}>
              <Entry entry={entry} fields={fields} />
              {canUndo && isUndoable(entry) && (
                <Button
                  variant="default"
                  size="compact-xs"
                  mt={6}
                  aria-label={t.record.history.undoChange(entry.revision)}
                  loading={revert.isPending && revert.variables === entry.revision}
                  onClick={() => revert.mutate(entry.revision)}
                >
                  {t.common.undo}
                </Button>
              )}
              {revert.variables === entry.revision && <UndoProblem error={revert.error} fields={fields} />}
            </li>
          ))}
        </ol>
      )}
      {history.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          m="md"
          mt={0}
          loading={history.isFetchingNextPage}
          onClick={() => history.fetchNextPage()}
        >
          {t.record.history.showEarlier}
        </Button>
      )}
    </section>
  );
}

function Entry({ entry: { at, by, changes }, fields }: { entry: HistoryEntry; fields: readonly Field[] }) {
  return (
    <>
      <div className={timeline.time}>
        <span className={classes.author} title={authorId(by)}>
          {authorOf(by)}
        </span>{' '}
        · <Time at={at} />
      </div>
      <Changes changes={changes} fields={fields} isSent={by.kind === 'submission'} />
    </>
  );
}

type Change = HistoryEntry['changes'][number];

interface ChangesProps {
  changes: readonly Change[];
  fields: readonly Field[];
  /** Whether a submission sent them. It has no values before, but what it removed or reset. */
  isSent: boolean;
}

/** The values of an entry of the history, with the labels of fields and choices. */
export function Changes({ changes, fields, isSent }: ChangesProps) {
  return (
    <div className={classes.changes}>
      {changes.map((change) => (
        <div key={change.path} className={classes.change}>
          <span className={classes.name}>{nameOf(change.path, fields)}</span>
          <div className={classes.value}>
            <ChangedValue change={change} field={fieldOf(change.path, fields)} isSent={isSent} />
          </div>
        </div>
      ))}
    </div>
  );
}

function ChangedValue({ change, field, isSent }: { change: Change; field: Field | undefined; isSent: boolean }) {
  const { path, before, after, omitted } = change;
  const isHidden = isSent && after === undefined;
  if (omitted || isHidden)
    return (
      <Text size="md" c="dimmed">
        {path === EMAIL && t.record.history.emailChanged}
        {path !== EMAIL && (omitted ? t.record.history.omitted : t.record.history.notShown)}
      </Text>
    );
  const show = (value: unknown) => <FullValue value={field ? labelOf(field, value) : value} />;
  if (path.endsWith('[]')) {
    return (
      <>
        {before !== undefined && <Part name={t.record.history.removed} value={<FullValue value={before} />} />}
        {after !== undefined && <Part name={t.record.history.added} value={<FullValue value={after} />} />}
      </>
    );
  }
  // A field of the team that it reset has a value before.
  if (isSent && before === undefined) return show(after);
  return (
    <>
      <del className={classes.before}>
        <span className="visually-hidden">{t.record.history.before} </span>
        {show(before)}
      </del>
      <span aria-hidden="true" className={classes.arrow}>
        →
      </span>
      <ins className={classes.after}>
        <span className="visually-hidden">{t.record.history.after} </span>
        {show(after)}
      </ins>
    </>
  );
}

function Part({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <Text span c="dimmed">
        {name}{' '}
      </Text>
      {value}
    </div>
  );
}

function UndoProblem({ error, fields }: { error: Error | null; fields: readonly Field[] }) {
  if (!error) return null;
  const issues = 'issues' in error ? (error.issues as { path: string; message: string }[]) : [];
  if (issues.length === 0) return <Problem error={error} mt="xs" />;
  const names = issues.map(({ path, message }) => `${nameOf(path, fields)} ${message}`).join(', ');
  return <Problem error={new Error(t.record.history.nothingUndone(names))} mt="xs" />;
}

/** The path of the email, which is no field. */
const EMAIL = 'email';

const isUndoable = ({ by, changes }: HistoryEntry): boolean =>
  by.kind !== 'submission' && by.kind !== 'scan' && changes.every(({ path }) => path !== EMAIL);

const keyOf = (path: string): string => path.replace(/^data\./, '').replace(/\[\]$/, '');
const fieldOf = (path: string, fields: readonly Field[]) => fields.find(({ key }) => key === keyOf(path));
const nameOf = (path: string, fields: readonly Field[]): string =>
  path === EMAIL ? t.common.email : nameOfKey(keyOf(path), fields);

/** @param who the name of the account or the key, if `by` does not have it */
export function authorOf(by: HistoryEntry['by'], who = authorName(by) ?? t.record.history.sharedLogIn): string {
  const { kind, change, reverted, import: ofImport } = by;
  const texts = t.record.history;
  if (kind === 'submission') return texts.submitted;
  if (kind === 'person') return texts.person;
  if (kind === 'import') return texts.import;
  if (kind === 'scan') return texts.scan;
  if (kind === 'revert' && ofImport !== undefined) return texts.undidImport(who);
  if (kind === 'revert') return reverted === undefined ? texts.undidChanges(who) : texts.undidChange(who, reverted);
  return change === undefined ? who : texts.manyAtOnce(who);
}
