import { Alert, Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Import } from '../api/endpoints.ts';
import { ConfirmRemoval } from '../components/confirm-dialog.tsx';
import { count } from '../components/count.ts';
import { DownloadIcon } from '../components/icons.tsx';
import { Time } from '../components/time.tsx';
import type { Scope } from '../users/scope.ts';
import { adviceFor } from './advice.ts';
import classes from './import-page.module.css';
import { rejectsUrl, useDeleteImport } from './queries.ts';

const STATES: Record<Import['state'], { label: string; color: string }> = {
  uploading: { label: 'Not started', color: 'gray' },
  running: { label: 'Running', color: 'blue' },
  completed: { label: 'Completed', color: 'green' },
  aborted: { label: 'Stopped at an invalid line', color: 'orange' },
  failed: { label: 'Failed', color: 'red' },
};

const format = new Intl.NumberFormat('en-GB');

interface ImportRowsProps {
  scope: Scope;
  imports: readonly Import[];
  /** The id of the import that was started on this page last. It is scrolled into view. */
  started: string | undefined;
}

/** The imports of an app, each with its progress and result. */
export function ImportRows({ scope, imports, started }: ImportRowsProps) {
  const [deleting, setDeleting] = useState<Import>();
  return (
    <Stack gap="sm">
      {imports.map((one) => (
        <ImportRow
          key={one.id}
          scope={scope}
          one={one}
          isStarted={one.id === started}
          onDelete={() => setDeleting(one)}
        />
      ))}
      <DeleteDialog scope={scope} one={deleting} onClose={() => setDeleting(undefined)} />
    </Stack>
  );
}

const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' });

interface ImportRowProps {
  scope: Scope;
  one: Import;
  isStarted: boolean;
  onDelete: () => void;
}

function ImportRow({ scope, one, isStarted, onDelete }: ImportRowProps) {
  const { state, read, created, updated, unchanged, rejected, errors, received, position, settings, failure } = one;
  const { label, color } = STATES[state];
  const part = received === 0 ? 0 : Math.round((position / received) * 100);
  const counts = { created, updated, unchanged, rejected };
  const hasEnded = state !== 'running' && state !== 'uploading';
  const advice = hasEnded ? adviceFor(one) : undefined;
  return (
    <Paper
      component="article"
      withBorder
      p="md"
      radius="md"
      aria-label={`Import of ${settings.fileName ?? one.createdAt}`}
      ref={isStarted ? show : null}
    >
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge variant="light" color={color} className={classes.badge ?? ''}>
            {label}
          </Badge>
          {settings.dryRun && (
            <Badge variant="default" className={classes.badge ?? ''}>
              Dry run
            </Badge>
          )}
          {settings.fileName !== undefined && (
            <Text size="sm" fw={600} className="breaks">
              {settings.fileName}
            </Text>
          )}
          <Text size="sm" c="dimmed">
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
              Rejected lines
            </Button>
          )}
          <Button variant="default" size="xs" onClick={onDelete}>
            {state === 'running' ? 'Stop and delete' : 'Delete this entry'}
          </Button>
        </Group>
      </Group>
      {state === 'running' && <Progress value={part} mt="sm" aria-label="Progress of the import" />}
      <Text size="sm" mt="xs" aria-live="polite">
        {count(read, 'line')}:{' '}
        {Object.entries(counts)
          .map(([name, n]) => `${format.format(n)} ${name}`)
          .join(', ')}
        {settings.dryRun && '. Nothing was written'}
      </Text>
      {hasEnded && !settings.dryRun && (
        <Text size="sm" c="dimmed">
          The file is deleted, the users stay: deleting this entry deletes no users.
        </Text>
      )}
      {advice && (
        <Alert color="yellow" variant="light" mt="xs" title={advice.title}>
          {advice.text}
        </Alert>
      )}
      {failure && (
        <Alert color="red" variant="light" mt="xs">
          {failure}.
        </Alert>
      )}
      {errors.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
        <section className={classes.errors} tabIndex={0} aria-label="First rejected lines">
          <ul>
            {errors.map(({ line, message }) => (
              <li key={line}>
                Line {line}: {message}
              </li>
            ))}
            {rejected > errors.length && <li>{format.format(rejected - errors.length)} more</li>}
          </ul>
        </section>
      )}
    </Paper>
  );
}

function DeleteDialog({ scope, one, onClose }: { scope: Scope; one: Import | undefined; onClose: () => void }) {
  return (
    <ConfirmRemoval id={one?.id} title="Delete this import?" remove={useDeleteImport(scope)} onClose={onClose}>
      <Text size="sm">
        {one?.state === 'running' ? 'It stops. ' : ''}Its file and its rejected lines are deleted. No users are deleted:
        those that it created or changed stay.
      </Text>
    </ConfirmRemoval>
  );
}
