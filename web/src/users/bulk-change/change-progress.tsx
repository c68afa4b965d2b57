import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { ChangeOfUsers } from '../../api/endpoints.ts';
import { invalidate, useChange } from '../../api/mutations.ts';
import { Problem } from '../../components/form/problem.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import classes from './bulk-change.module.css';

const POLL_MS = 500;

export const isRunning = ({ state }: ChangeOfUsers): boolean => ['running', 'undoing', 'stopping'].includes(state);

/** The newest changes of many users of an app; `change` names all queries about them. */
export const changesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['change', 'list', scopeParameter(scope)],
    queryFn: ({ signal }) => call('GET /auth/changes', { query: scopeParameter(scope), signal }),
    refetchInterval: ({ state: { data } }) => (data?.changes.some(isRunning) ? POLL_MS : false),
  });

interface ChangeProgressProps {
  scope: Scope;
  id: string;
  onClose: () => void;
}

/** The progress of the change that a dialog began. The change goes on without the page. */
export function ChangeProgress({ scope, id, onClose }: ChangeProgressProps) {
  const change = useQuery({
    queryKey: ['change', id],
    queryFn: ({ signal }) => call('GET /auth/changes/:id', { params: { id }, query: scopeParameter(scope), signal }),
    refetchInterval: ({ state: { data } }) => (data && !isRunning(data) ? false : POLL_MS),
  });
  if (change.error && !change.data) return <LoadError error={change.error} onRetry={change.refetch} />;
  if (!change.data) return <TableSkeleton rows={2} />;
  return (
    <ChangeState scope={scope} change={change.data}>
      <Button onClick={onClose}>{t.common.close}</Button>
    </ChangeState>
  );
}

/** How far a change is, with Stop or Undo, and `children` beside them. */
export function ChangeState({
  scope,
  change,
  children,
}: {
  scope: Scope;
  change: ChangeOfUsers;
  children?: ReactNode;
}) {
  const client = useQueryClient();
  const request = { params: { id: change.id }, query: scopeParameter(scope) };
  const stop = useChange('change', () => call('DELETE /auth/changes/:id', request));
  const undo = useChange('change', () => call('POST /auth/changes/:id/undo', request));
  const { state } = change;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are read again with each state
  useEffect(() => {
    void invalidate(client, 'users');
  }, [state, client]);
  const shown = change.undo ?? change;
  const total = change.undo ? change.done : change.total;
  return (
    <Stack>
      <Text role="status">{wordsOf(change)}</Text>
      {isRunning(change) && (
        <progress
          className={classes.bar}
          aria-label={t.users.change.processed}
          value={shown.done}
          max={Math.max(1, total)}
        />
      )}
      {isRunning(change) && <Text c="dimmed">{nextOf(state)}</Text>}
      {shown.errors.length > 0 && (
        <Alert color="yellow" title={change.undo ? t.users.change.leftTitle : t.users.change.refusedTitle}>
          <ul className={classes.failures}>
            {shown.errors.map(({ id: record, message }) => (
              <li key={record} className="breaks">
                {record}: {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <Problem error={stop.error ?? undo.error} />
      <Group justify="flex-end">
        {isRunning(change) && (
          <Button variant="default" loading={stop.isPending || state === 'stopping'} onClick={() => stop.mutate()}>
            {t.users.change.stop}
          </Button>
        )}
        {!isRunning(change) && state !== 'undone' && change.changed > 0 && (
          <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
            {t.common.undo}
          </Button>
        )}
        {children}
      </Group>
    </Stack>
  );
}

function wordsOf({ state, total, done, changed, refused, unset, undo, failure }: ChangeOfUsers): string {
  const texts = t.users.change;
  if (failure !== undefined) return texts.failed(failure);
  if (undo) {
    if (state === 'undone') return withRest(texts.undone(undo.changed), undo.refused, texts.left);
    return state === 'undoing' ? texts.undoing(undo.done, done) : texts.undoStopped(undo.done, done);
  }
  if (state === 'completed') {
    const same = done - changed - refused;
    const sentence = withRest(texts.changed(changed), same, unset.length > 0 ? texts.hadNone : texts.hadValue);
    return withRest(sentence, refused, texts.refused);
  }
  return state === 'stopped' ? texts.stopped(done, total, changed) : texts.changing(done, total);
}

/** What a reader can do while a change runs. */
function nextOf(state: ChangeOfUsers['state']): string {
  if (state === 'stopping') return t.users.change.stoppingNext;
  return state === 'undoing' ? t.users.change.undoingNext : t.users.change.changingNext;
}

/** A sentence, and one about the users that are left, if there are any. */
function withRest(sentence: string, rest: number, ofRest: (count: number) => string): string {
  return rest > 0 ? `${sentence} ${ofRest(rest)}` : sentence;
}
