import { Alert, Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/call.ts';
import type { HeldSubmission } from '../api/endpoints.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { CheckIcon, LeftIcon, RightIcon } from '../components/icons.tsx';
import { LoadError } from '../components/load-error.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TableSkeleton } from '../components/table-skeleton.tsx';
import { Time } from '../components/time.tsx';
import { schemaQuery } from '../users/queries.ts';
import classes from './held-page.module.css';
import { heldQuery, useDelete, useRelease } from './queries.ts';
import { summaryOf } from './summary.ts';

/** The submissions that bot protection holds. An operator releases or deletes each. */
export function HeldPage() {
  // The cursors of the pages before this one, and of this one.
  const [cursors, setCursors] = useState<(string | undefined)[]>([undefined]);
  const { data, error, refetch } = useQuery(heldQuery(cursors.at(-1)));
  const release = useRelease();
  const [released, setReleased] = useState<HeldSubmission>();
  const [deleting, setDeleting] = useState<HeldSubmission>();
  const isFirst = cursors.length === 1;
  return (
    <>
      <PageHeader
        title="Held submissions"
        note="Bot protection holds these for 30 days. Release what a person sent, delete the rest."
      />
      {error && <LoadError error={error} onRetry={refetch} />}
      <div aria-live="polite">{released && <Outcome held={released} release={release} />}</div>
      <section className={classes.card} aria-label="Held submissions">
        {!data && !error && <TableSkeleton rows={4} />}
        {data && data.held.length > 0 && (
          <Rows
            held={data.held}
            releasing={release.isPending ? release.variables : undefined}
            onRelease={(held) => {
              setReleased(held);
              release.mutate(held.id);
            }}
            onDelete={setDeleting}
          />
        )}
        {data?.held.length === 0 && <NothingHeld isFirst={isFirst} />}
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
      <DeleteDialog held={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NothingHeld({ isFirst }: { isFirst: boolean }) {
  return (
    <EmptyState
      title={isFirst ? 'Nothing is held' : 'No older submissions'}
      action={
        <Button component={Link} href="/connect/settings" variant="default">
          Bot protection settings
        </Button>
      }
    >
      A submission is held when a program filled in the hidden field of a form, or when a form was sent without
      JavaScript while proof of work is on. The sender is not told.
    </EmptyState>
  );
}

interface RowsProps {
  held: readonly HeldSubmission[];
  /** The id of the submission that is being released. */
  releasing: string | undefined;
  onRelease: (held: HeldSubmission) => void;
  onDelete: (held: HeldSubmission) => void;
}

function Rows({ held, releasing, onRelease, onDelete }: RowsProps) {
  const { data: schema } = useQuery(schemaQuery);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of held submissions">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Email</Table.Th>
            <Table.Th>Data</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th>Time</Table.Th>
            <Table.Th>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {held.map((one) => (
            <Table.Tr key={one.id}>
              <Table.Td className="breaks">
                {one.email}
                <div className={classes.onPhone}>
                  {REASONS[one.reason]}, <Time at={one.at} relative />
                </div>
              </Table.Td>
              <Table.Td>
                <Data data={one.data} fields={schema?.fields ?? []} />
              </Table.Td>
              <Table.Td>{REASONS[one.reason]}</Table.Td>
              <Table.Td className={classes.time}>
                <Time at={one.at} relative />
              </Table.Td>
              <Table.Td>
                <Group gap="xs" justify="flex-end" className={classes.actions ?? ''}>
                  <Button
                    size="xs"
                    variant="default"
                    loading={releasing === one.id}
                    disabled={releasing !== undefined}
                    aria-label={`Release ${one.email}`}
                    onClick={() => onRelease(one)}
                  >
                    Release
                  </Button>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Delete ${one.email}`}
                    onClick={() => onDelete(one)}
                  >
                    Delete
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const REASONS = {
  honeypot: 'The hidden field was filled in',
  'no-proof': 'Sent without proof of work',
} satisfies Record<HeldSubmission['reason'], string>;

function Data({ data, fields }: { data: HeldSubmission['data']; fields: Parameters<typeof summaryOf>[1] }) {
  const summary = summaryOf(data, fields);
  if (summary === '') return <Text c="dimmed">None</Text>;
  return (
    <details className={classes.data}>
      <summary className="breaks">{summary}</summary>
      <pre>{JSON.stringify(data, null, 2)}</pre>
    </details>
  );
}

function Outcome({ held, release }: { held: HeldSubmission; release: ReturnType<typeof useRelease> }) {
  if (release.data) {
    return (
      <Alert color="green" variant="light" mb="md" p="xs" icon={<CheckIcon size={16} />}>
        The submission of {held.email} is stored.{' '}
        <Link href={`/users/${release.data.id}`} className={classes.link ?? ''}>
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

function DeleteDialog({ held, onClose }: { held: HeldSubmission | undefined; onClose: () => void }) {
  const remove = useDelete();
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
