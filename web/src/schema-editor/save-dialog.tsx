import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
import { appSchemaQuery } from '../apps/queries.ts';
import { count } from '../components/count.ts';
import { LoadError } from '../components/load-error.tsx';
import { ChangeList } from './change-list.tsx';
import type { DraftEditor } from './use-draft.ts';

interface SaveDialogProps {
  sourceAppId: string;
  editor: DraftEditor;
  opened: boolean;
  onClose: () => void;
}

/**
 * Shows the changes of the draft and their effect on stored records before the version is saved.
 */
export function SaveDialog({ sourceAppId, editor, opened, onClose }: SaveDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} size="lg" title={`Save version ${editor.base.schema.version + 1}`}>
      <Review sourceAppId={sourceAppId} editor={editor} onClose={onClose} />
    </Modal>
  );
}

function Review({ sourceAppId, editor, onClose }: Omit<SaveDialogProps, 'opened'>) {
  const check = useQuery({
    queryKey: ['schema-check', sourceAppId, editor.checked.schema],
    queryFn: ({ signal }) =>
      call('POST /auth/apps/:sourceAppId/schema/check', {
        params: { sourceAppId },
        body: editor.checked.schema,
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
  });
  const save = useSave(sourceAppId, editor, onClose);
  return (
    <Stack>
      <ChangeList changes={editor.changes} />
      {check.isPending && (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">Checking stored records…</Text>
        </Group>
      )}
      {check.error && <LoadError error={check.error} onRetry={check.refetch} />}
      {check.data && <Findings {...check.data} />}
      {save.error && !isConflict(save.error) && (
        <Alert color="red" variant="light" role="alert" title="Could not save the schema">
          {save.error.message}.
          {save.error instanceof ApiError && save.error.issues.map(({ path, message }) => ` ${path} ${message}.`)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep editing
        </Button>
        <Button loading={save.isPending} disabled={check.isPending} onClick={() => save.mutate()}>
          Save version {editor.base.schema.version + 1}
        </Button>
      </Group>
    </Stack>
  );
}

function useSave(sourceAppId: string, editor: DraftEditor, onClose: () => void) {
  const client = useQueryClient();
  const schema = appSchemaQuery(sourceAppId);
  return useMutation({
    mutationFn: () =>
      call('PUT /auth/apps/:sourceAppId/schema', {
        params: { sourceAppId },
        body: editor.checked.schema,
        headers: { 'If-Match': editor.base.etag },
      }),
    onSuccess: async ({ version }) => {
      editor.reset(await client.fetchQuery({ ...schema, staleTime: 0 }));
      notifications.show({
        title: `Schema version ${version} is live`,
        message: 'New submissions are validated against it',
      });
      onClose();
      await client.invalidateQueries({ queryKey: [...schema.queryKey, 'versions'] });
    },
    onError: async (error) => {
      if (!isConflict(error)) return;
      // The refreshed schema makes the page show the conflict.
      await client.fetchQuery({ ...schema, staleTime: 0 });
      onClose();
    },
  });
}

function isConflict(error: Error): boolean {
  return error instanceof ApiError && error.status === 412;
}

function Findings({ checked, failing, examples, complete }: ResponseBody<'POST /auth/apps/:sourceAppId/schema/check'>) {
  const records = count(checked, 'stored record');
  if (checked === 0) return <Text size="sm">This app has no stored records yet.</Text>;
  if (failing === 0) {
    return (
      <Alert variant="light" color="green" p="xs">
        {checked === 1 ? 'The stored record matches' : `${complete ? 'All' : 'The newest'} ${records} match`} the new
        schema.
      </Alert>
    );
  }
  return (
    <Alert
      variant="light"
      color="yellow"
      title={`${failing.toLocaleString()} of ${complete ? '' : 'the newest '}${records} ${failing === 1 ? 'does' : 'do'} not match the new schema`}
    >
      <Text size="sm" mb="xs">
        Stored records are not changed, but later submissions must match the new schema.
      </Text>
      {examples.map(({ id, path, message }) => (
        <Text key={`${id} ${path}`} size="sm" className="breaks">
          {path} {message} <code>{id}</code>
        </Text>
      ))}
    </Alert>
  );
}
