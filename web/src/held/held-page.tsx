import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/call.ts';
import type { HeldSubmission } from '../api/endpoints.ts';
import { AppLinks } from '../apps/app-links.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { CheckIcon, LeftIcon, RightIcon } from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { type Scope, usersPath } from '../users/scope.ts';
import classes from './held-page.module.css';
import { HeldRows } from './held-rows.tsx';
import { heldQuery, useDelete, useRelease } from './queries.ts';

/** The submissions that bot protection holds. An operator releases or deletes each. */
export function HeldPage({ scope }: { scope: Scope }) {
  // The cursors of the pages before this one, and of this one.
  const [cursors, setCursors] = useState<(string | undefined)[]>([undefined]);
  const { data, error, refetch } = useQuery(heldQuery(scope, cursors.at(-1)));
  const release = useRelease(scope);
  const [released, setReleased] = useState<HeldSubmission>();
  const [deleting, setDeleting] = useState<HeldSubmission>();
  const isFirst = cursors.length === 1;
  return (
    <>
      {scope.asAdmin && <AppLinks sourceAppId={scope.sourceAppId} current="held" />}
      <PageHeader
        title="Held submissions"
        note="Bot protection holds these for 30 days. Release what a person sent, delete the rest."
      />
      {error && <LoadError error={error} onRetry={refetch} />}
      <div aria-live="polite">{released && <Outcome scope={scope} held={released} release={release} />}</div>
      <section className={classes.card} aria-label="Held submissions">
        {!data && !error && <TableSkeleton rows={4} />}
        {data && data.held.length > 0 && (
          <HeldRows
            scope={scope}
            held={data.held}
            releasing={release.isPending ? release.variables : undefined}
            onRelease={(held) => {
              setReleased(held);
              release.mutate(held.id);
            }}
            onDelete={setDeleting}
          />
        )}
        {data?.held.length === 0 && <NothingHeld scope={scope} isFirst={isFirst} />}
        {data && (!isFirst || data.next) && (
          <nav className={classes.pager} aria-label="Pagination">
            <Button
              variant="default"
              size="xs"
              disabled={isFirst}
              leftSection={<LeftIcon size={14} />}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              Newer
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={!data.next}
              rightSection={<RightIcon size={14} />}
              onClick={() => setCursors([...cursors, data.next])}
            >
              Older
            </Button>
          </nav>
        )}
      </section>
      <DeleteDialog scope={scope} held={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NothingHeld({ scope, isFirst }: { scope: Scope; isFirst: boolean }) {
  return (
    <EmptyState
      title={isFirst ? 'Nothing is held' : 'No older submissions'}
      action={
        <Button
          component={Link}
          href={`${scope.asAdmin ? `/apps/${scope.sourceAppId}` : ''}/connect/settings`}
          variant="default"
        >
          Bot protection settings
        </Button>
      }
    >
      A submission is held when a program filled in the hidden field of a form, or when a form was sent without
      JavaScript while proof of work is on. The sender is not told.
    </EmptyState>
  );
}

interface OutcomeProps {
  scope: Scope;
  held: HeldSubmission;
  release: ReturnType<typeof useRelease>;
}

function Outcome({ scope, held, release }: OutcomeProps) {
  if (release.data) {
    return (
      <Alert color="green" variant="light" mb="md" p="xs" icon={<CheckIcon size={16} />}>
        The submission of {held.email} is stored.{' '}
        <Link href={`${usersPath(scope)}/${release.data.id}`} className={classes.link ?? ''}>
          Show the record
        </Link>
      </Alert>
    );
  }
  if (!release.error) return null;
  const issues = release.error instanceof ApiError ? release.error.issues : [];
  return (
    <Alert color="red" variant="light" mb="md" role="alert" title={`The submission of ${held.email} was not stored`}>
      {release.error.message}.{' '}
      {issues.map(({ path, message }) => `${path.replace(/^data\./, '')} ${message}`).join('. ')}
    </Alert>
  );
}

interface DeleteDialogProps {
  scope: Scope;
  held: HeldSubmission | undefined;
  onClose: () => void;
}

function DeleteDialog({ scope, held, onClose }: DeleteDialogProps) {
  const remove = useDelete(scope);
  const close = (): void => {
    remove.reset();
    onClose();
  };
  return (
    <Modal opened={held !== undefined} onClose={close} title="Delete this submission?">
      <Stack>
        <Text size="sm" className="breaks">
          The submission of <strong>{held?.email}</strong> is deleted. This cannot be undone.
        </Text>
        {remove.error && (
          <Alert color="red" variant="light" role="alert">
            {remove.error.message}.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color="red.9"
            loading={remove.isPending}
            onClick={() => held && remove.mutate(held.id, { onSuccess: close })}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
