import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, Refusal } from '../api/call.ts';
import type { Answer } from '../api/endpoints.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { Retry } from '../components/retry.tsx';
import { ChangeList } from './change-list.tsx';
import type { SchemaWork } from './use-work.ts';

interface SaveDialogProps {
  sourceAppId: string;
  work: SchemaWork;
  opened: boolean;
  onClose: () => void;
}

/** Before a version is saved: what it changes, and what that means for the records that are stored. */
export function SaveDialog({ sourceAppId, work, opened, onClose }: SaveDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} size="lg" title={`Save version ${work.base.schema.version + 1}`}>
      <Review sourceAppId={sourceAppId} work={work} onClose={onClose} />
    </Modal>
  );
}

function Review({ sourceAppId, work, onClose }: Omit<SaveDialogProps, 'opened'>) {
  const check = useQuery({
    queryKey: ['schema-check', sourceAppId, work.checked.schema],
    queryFn: ({ signal }) =>
      call('POST /auth/apps/:sourceAppId/schema/check', { params: { sourceAppId }, body: work.checked.schema, signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const save = useSave(sourceAppId, work, onClose);
  return (
    <Stack>
      <ChangeList changes={work.changes} />
      {check.isPending && (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">Checking the stored records …</Text>
        </Group>
      )}
      {check.error && <Retry error={check.error} onRetry={check.refetch} />}
      {check.data && <Findings {...check.data} />}
      {save.error && !isOvertaken(save.error) && (
        <Alert color="red" variant="light" role="alert" title="Not saved">
          {save.error.message}.
          {save.error instanceof Refusal && save.error.issues.map(({ path, message }) => ` ${path} ${message}.`)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Go on editing
        </Button>
        <Button loading={save.isPending} disabled={check.isPending} onClick={() => save.mutate()}>
          Save version {work.base.schema.version + 1}
        </Button>
      </Group>
    </Stack>
  );
}

function useSave(sourceAppId: string, work: SchemaWork, onClose: () => void) {
  const client = useQueryClient();
  const schema = appSchemaQuery(sourceAppId);
  return useMutation({
    mutationFn: () =>
      call('PUT /auth/apps/:sourceAppId/schema', {
        params: { sourceAppId },
        body: work.checked.schema,
        headers: { 'If-Match': work.base.etag },
      }),
    onSuccess: async ({ version }) => {
      work.begin(await client.fetchQuery({ ...schema, staleTime: 0 }));
      notifications.show({
        title: `Version ${version} is in force`,
        message: 'Every submission from now on is checked by it.',
      });
      onClose();
      await client.invalidateQueries({ queryKey: [...schema.queryKey, 'versions'] });
    },
    onError: async (error) => {
      if (!isOvertaken(error)) return;
      // The page shows what the other one saved, and asks which of the two counts.
      await client.fetchQuery({ ...schema, staleTime: 0 });
      onClose();
    },
  });
}

function isOvertaken(error: Error): boolean {
  return error instanceof Refusal && error.status === 412;
}

function Findings({ checked, failing, examples, complete }: Answer<'POST /auth/apps/:sourceAppId/schema/check'>) {
  const looked = `${complete ? '' : 'the newest '}${checked.toLocaleString()} stored ${checked === 1 ? 'record' : 'records'}`;
  if (checked === 0) return <Text size="sm">No records are stored yet, so none can be affected.</Text>;
  if (failing === 0) {
    return (
      <Alert variant="light" color="green" p="xs">
        All of {looked} would pass.
      </Alert>
    );
  }
  return (
    <Alert variant="light" color="yellow" title={`${failing.toLocaleString()} of ${looked} would not pass`}>
      <Text size="sm" mb="xs">
        They stay as they are. Their next submission has to pass.
      </Text>
      {examples.map(({ id, path, message }) => (
        <Text key={`${id} ${path}`} size="sm" className="breaks">
          {path} {message} <code>{id}</code>
        </Text>
      ))}
    </Alert>
  );
}
