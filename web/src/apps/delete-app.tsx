import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { TypedConfirmation } from '../components/typed-confirmation.tsx';

interface DeleteAppProps {
  app: { sourceAppId: string; users: number | undefined } | undefined;
  onClose: () => void;
}

/** Deletes an app with its users, after its name was typed. */
export function DeleteApp({ app, onClose }: DeleteAppProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (sourceAppId: string) => call('DELETE /auth/apps/:sourceAppId', { params: { sourceAppId } }),
    onSuccess: async ({ deletedUsers }, sourceAppId) => {
      notifications.show({ title: `${sourceAppId} is deleted`, message: `${users(deletedUsers)} went with it.` });
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
      title="Delete this app"
      noun="App id"
      expected={app?.sourceAppId ?? ''}
      action={app?.users === undefined ? 'Delete' : `Delete with ${users(app.users)}`}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => app && remove.mutate(app.sourceAppId)}
      onClose={close}
    >
      <Text size="sm">
        The app, its schema with all versions, and{' '}
        <strong>{app?.users === undefined ? 'all its users' : `all its ${users(app.users)}`}</strong> will be deleted.
        Forms that submit to it will be refused.
      </Text>
    </TypedConfirmation>
  );
}

function users(count: number): string {
  return count === 1 ? '1 user' : `${count.toLocaleString()} users`;
}
