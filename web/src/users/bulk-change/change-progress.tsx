import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { ChangeOfUsers } from '../../api/endpoints.ts';
import { invalidate, useChange } from '../../api/mutations.ts';
import { LoadError } from '../../components/load-error.tsx';
import { Problem } from '../../components/problem.tsx';
import { TableSkeleton } from '../../components/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import classes from './bulk-change.module.css';

const POLL_MS = 500;

interface ChangeProgressProps {
  scope: Scope;
  id: string;
  onClose: () => void;
}

const isRunning = ({ state }: ChangeOfUsers): boolean => ['running', 'undoing', 'stopping'].includes(state);

/** The progress of a change of many users. The change goes on without the page. */
export function ChangeProgress({ scope, id, onClose }: ChangeProgressProps) {
  const client = useQueryClient();
  const request = { params: { id }, query: scopeParameter(scope) };
  const change = useQuery({
    queryKey: ['change', id],
    queryFn: ({ signal }) => call('GET /auth/changes/:id', { ...request, signal }),
    refetchInterval: ({ state: { data } }) => (data && !isRunning(data) ? false : POLL_MS),
  });
  const stop = useChange('change', () => call('DELETE /auth/changes/:id', request));
  const undo = useChange('change', () => call('POST /auth/changes/:id/undo', request));
  const state = change.data?.state;
  useEffect(() => {
    if (state !== undefined) void invalidate(client, 'users');
  }, [state, client]);
  if (change.error && !change.data) return <LoadError error={change.error} onRetry={change.refetch} />;
  if (!change.data) return <TableSkeleton rows={2} />;
  const { data } = change;
  const shown = data.undo ?? data;
  const total = data.undo ? data.done : data.total;
  return (
    <Stack>
      <Text role="status">{wordsOf(data)}</Text>
      <progress
        className={classes.bar}
        aria-label={t.users.change.processed}
        value={shown.done}
        max={Math.max(1, total)}
      />
      {shown.errors.length > 0 && (
        <Alert color="yellow" title={data.undo ? t.users.change.leftTitle : t.users.change.refusedTitle}>
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
        {isRunning(data) && (
          <Button variant="default" loading={stop.isPending || data.state === 'stopping'} onClick={() => stop.mutate()}>
            {t.users.change.stop}
          </Button>
        )}
        {!isRunning(data) && data.state !== 'undone' && data.changed > 0 && (
          <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
            {t.common.undo}
          </Button>
        )}
        <Button onClick={onClose}>{t.common.close}</Button>
      </Group>
    </Stack>
  );
}

function wordsOf({ state, total, done, changed, refused, undo, failure }: ChangeOfUsers): string {
  const texts = t.users.change;
  if (failure !== undefined) return texts.failed(failure);
  if (undo) {
    if (state === 'undone') return withRest(texts.undone(undo.changed), undo.refused, texts.left);
    return state === 'undoing' ? texts.undoing(undo.done, done) : texts.undoStopped(undo.done, done);
  }
  if (state === 'completed') return withRest(texts.changed(changed), refused, texts.refused);
  return state === 'stopped' ? texts.stopped(done, total, changed) : texts.changing(done, total);
}

/** A sentence, and one about the users that are left, if there are any. */
function withRest(sentence: string, rest: number, ofRest: (count: number) => string): string {
  return rest > 0 ? `${sentence} ${ofRest(rest)}` : sentence;
}
