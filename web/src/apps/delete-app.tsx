import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { count } from '../components/count.ts';
import { TypedConfirmation } from '../components/typed-confirmation.tsx';

interface DeleteAppProps {
  app: { sourceAppId: string; users: number | undefined } | undefined;
  onClose: () => void;
}

export function DeleteApp({ app, onClose }: DeleteAppProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (sourceAppId: string) => call('DELETE /auth/apps/:sourceAppId', { params: { sourceAppId } }),
    onSuccess: async ({ deletedUsers }, sourceAppId) => {
      notifications.show({
        title: `App ${sourceAppId} was deleted`,
        message: `${count(deletedUsers, 'user')} ${deletedUsers === 1 ? 'was' : 'were'} deleted`,
      });
      close();
      client.removeQueries({ queryKey: ['app-schema', sourceAppId] });
      await Promise.all(
        ['apps', 'admin-stats', 'all-users'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
  });
  function close(): void {
    onClose();
    remove.reset();
  }
  return (
    <TypedConfirmation
      opened={app !== undefined}
      title="Delete app"
      label="App ID"
      expected={app?.sourceAppId ?? ''}
      action={app?.users === undefined ? 'Delete app' : `Delete app and ${count(app.users, 'user')}`}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => app && remove.mutate(app.sourceAppId)}
      onClose={close}
    >
      <Text size="sm">
        This deletes the app, all versions of its schema and{' '}
        <strong>{app?.users === undefined ? 'all its users' : `its ${count(app.users, 'user')}`}</strong>. The service
        rejects later submissions to this app.
      </Text>
    </TypedConfirmation>
  );
}
