import { Alert, Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Import } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { DownloadIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { adviceFor } from './advice.ts';
import classes from './import-page.module.css';
import { canUndo, UndoState } from './import-undo.tsx';
import { omissionsUrl, rejectsUrl, useDeleteImport, useUndoImport } from './queries.ts';
import { OmitValues, Rejections } from './rejections.tsx';

const COLORS: Record<Import['state'], string> = {
  uploading: 'gray',
  running: 'blue',
  completed: 'green',
  aborted: 'orange',
  failed: 'red',
};

interface ImportRowsProps {
  scope: Scope;
  imports: readonly Import[];
  /** The id of the import that was started on this page last. It is scrolled into view. */
  started: string | undefined;
  /** The file of an import, if this page still has it. */
  fileOf: (id: string) => File | undefined;
  /** Is called with the import that leaves out the values which another one rejected. */
  onOmitted: (id: string, isDryRun: boolean) => void;
}

/** The imports of an app, each with its progress and result. */
export function ImportRows({ scope, imports, started, fileOf, onOmitted }: ImportRowsProps) {
  const [deleting, setDeleting] = useState<Import>();
  const [undoing, setUndoing] = useState<Import>();
  return (
    <Stack gap="sm">
      {imports.map((one) => (
        <ImportRow
          key={one.id}
          scope={scope}
          one={one}
          isStarted={one.id === started}
          file={fileOf(one.id)}
          onOmitted={(id) => onOmitted(id, one.settings.dryRun)}
          onDelete={() => setDeleting(one)}
          onUndo={() => setUndoing(one)}
        />
      ))}
      <ConfirmRemoval
        id={deleting?.id}
        title={t.imports.deleteTitle}
        remove={useDeleteImport(scope)}
        onClose={() => setDeleting(undefined)}
      >
        <Text>{deleting && deleteNoteOf(deleting)}</Text>
      </ConfirmRemoval>
      <ConfirmRemoval
        id={undoing?.id}
        title={t.imports.undoTitle}
        action={t.common.undo}
        remove={useUndoImport(scope)}
        onClose={() => setUndoing(undefined)}
      >
        <Text>{t.imports.undoNote}</Text>
        <Text>{t.imports.undoOnce}</Text>
      </ConfirmRemoval>
    </Stack>
  );
}

const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' });

function deleteNoteOf({ state, undo }: Import): string {
  if (undo?.state === 'running') return t.imports.deleteUndoingNote;
  return state === 'running' ? t.imports.deleteRunningNote : t.imports.deleteNote;
}

/** What happens next, or what a reader can do. */
function nextOf({ state, settings, undo }: Import, hasFile: boolean): string | undefined {
  if (undo) return undefined;
  if (state === 'running') return t.imports.runningNext;
  if (state === 'uploading') return t.imports.uploadingNext;
  if (!settings.dryRun) return t.imports.usersStay;
  return hasFile ? t.imports.dryRunNextHere : t.imports.dryRunNext;
}

interface ImportRowProps {
  scope: Scope;
  one: Import;
  isStarted: boolean;
  file: File | undefined;
  onOmitted: (id: string) => void;
  onDelete: () => void;
  onUndo: () => void;
}

function ImportRow({ scope, one, isStarted, file, onOmitted, onDelete, onUndo }: ImportRowProps) {
  const { state, read, created, updated, unchanged, rejected, omitted, received, position, settings, failure } = one;
  const part = received === 0 ? 0 : Math.round((position / received) * 100);
  const result = settings.dryRun ? t.imports.dryRunResult : t.imports.result;
  const hasEnded = state !== 'running' && state !== 'uploading';
  const next = nextOf(one, file !== undefined);
  const advice = hasEnded ? adviceFor(one) : undefined;
  const isRefused = state === 'completed' && rejected > 0 && created === 0 && updated === 0 && unchanged === 0;
  return (
    <Paper
      component="article"
      withBorder
      p="md"
      radius="md"
      aria-label={t.imports.importOf(settings.fileName ?? one.createdAt)}
      ref={isStarted ? show : null}
    >
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge color={isRefused ? 'red' : COLORS[state]} className={classes.badge ?? ''}>
            {isRefused ? t.imports.allRejected : t.imports.states[state]}
          </Badge>
          {settings.dryRun && (
            <Badge variant="default" className={classes.badge ?? ''}>
              {t.imports.dryRun}
            </Badge>
          )}
          {settings.fileName !== undefined && (
            <Text fw={600} className="breaks">
              {settings.fileName}
            </Text>
          )}
          <Text c="dimmed">
            <Time at={one.createdAt} />
          </Text>
        </Group>
        <Group gap="xs">
          {rejected > 0 && (
            <Button
              component="a"
              href={rejectsUrl(scope, one.id)}
              download
              variant="default"
              size="xs"
              leftSection={<DownloadIcon size={14} />}
            >
              {t.imports.rejectedLines}
            </Button>
          )}
          {omitted !== undefined && omitted > 0 && (
            <Button
              component="a"
              href={omissionsUrl(scope, one.id)}
              download
              variant="default"
              size="xs"
              leftSection={<DownloadIcon size={14} />}
            >
              {t.imports.omittedValues}
            </Button>
          )}
          {canUndo(one) && (
            <Button variant="default" size="xs" onClick={onUndo}>
              {t.common.undo}
            </Button>
          )}
          <Button variant="default" size="xs" onClick={onDelete}>
            {state === 'running' ? t.imports.stop : t.imports.deleteEntry}
          </Button>
        </Group>
      </Group>
      {state === 'running' && <Progress value={part} mt="sm" aria-label={t.imports.progress} />}
      <Text mt="xs" aria-live="polite">
        {result(read, created, updated, unchanged, rejected)}
        {omitted !== undefined && omitted > 0 && `. ${t.imports.omitted(omitted)}`}
      </Text>
      {one.undo && <UndoState one={one} undo={one.undo} />}
      {next && <Text c="dimmed">{next}</Text>}
      {advice && (
        <Alert color={isRefused ? 'red' : 'yellow'} mt="xs" title={advice.title}>
          {advice.text}
        </Alert>
      )}
      {isRefused && !advice && (
        <Alert color="red" mt="xs">
          {settings.dryRun ? t.imports.dryRunRefused(rejected) : t.imports.refused(rejected)}
        </Alert>
      )}
      {failure && (
        <Alert color="red" mt="xs">
          {failure}.
        </Alert>
      )}
      {hasEnded && <OmitValues scope={scope} one={one} file={file} onStarted={onOmitted} />}
      <Rejections one={one} hasEnded={hasEnded} />
    </Paper>
  );
}
