import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { invalidate } from '../api/mutations.ts';
import { TypedConfirmation } from '../components/form/confirm-dialog.tsx';
import { t } from '../texts/texts.ts';

interface DeleteAppProps {
  app: { sourceAppId: string; users: number | undefined } | undefined;
  onClose: () => void;
}

export function DeleteApp({ app, onClose }: DeleteAppProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (sourceAppId: string) => call('DELETE /auth/apps/:sourceAppId', { params: { sourceAppId } }),
    onSuccess: async ({ deletedUsers }, sourceAppId) => {
      notifications.show({ title: t.apps.deleted(sourceAppId), message: t.apps.usersDeleted(deletedUsers) });
      close();
      client.removeQueries({ queryKey: ['app-schema', sourceAppId] });
      await invalidate(client, 'apps', 'admin-stats', 'all-users');
    },
  });
  function close(): void {
    onClose();
    remove.reset();
  }
  return (
    <TypedConfirmation
      opened={app !== undefined}
      title={t.apps.deleteApp}
      label={t.apps.appId}
      expected={app?.sourceAppId ?? ''}
      action={app?.users === undefined ? t.apps.deleteApp : t.apps.deleteAppAndUsers(app.users)}
      sending={remove}
      onConfirm={() => app && remove.mutate(app.sourceAppId)}
      onClose={close}
    >
      <Text>{app?.users === undefined ? t.apps.deleteNote() : t.apps.deleteCountedNote(app.users)}</Text>
    </TypedConfirmation>
  );
}
