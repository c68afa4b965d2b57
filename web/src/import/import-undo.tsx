import { Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Import } from '../api/endpoints.ts';
import { invalidate } from '../api/mutations.ts';
import { t } from '../texts/texts.ts';

const UNDONE_WITHIN_MS = 30 * 24 * 60 * 60 * 1_000;

/** Whether an import has changed users and can be undone. */
export function canUndo({ endedAt, created, updated, settings, undo }: Import): boolean {
  if (endedAt === undefined || undo || settings.dryRun || created + updated === 0) return false;
  return Date.now() - Date.parse(endedAt) < UNDONE_WITHIN_MS;
}

/** How far the undo of an import is, or what it did. */
export function UndoState({ one, undo }: { one: Import; undo: NonNullable<Import['undo']> }) {
  const client = useQueryClient();
  const { state, done, restored, erased, kept } = undo;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are read again with each state
  useEffect(() => {
    void invalidate(client, 'users');
  }, [state, client]);
  // Lines: a person with several lines is one user.
  const most = Math.max(1, one.created + one.updated);
  const isRunning = state === 'running';
  return (
    <>
      <Text mt="xs" role="status">
        {isRunning ? t.imports.undoing(done) : t.imports.undone(erased, restored, kept)}
      </Text>
      {isRunning && <Progress value={Math.min(100, (done / most) * 100)} mt="xs" aria-label={t.imports.undoProgress} />}
      {isRunning && <Text c="dimmed">{t.imports.undoingNext}</Text>}
    </>
  );
}
