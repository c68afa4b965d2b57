import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { UserRecord } from '../api/endpoints.ts';
import { TypedConfirmation } from '../components/typed-confirmation.tsx';
import { type Scope, scopeParameter } from '../users/scope.ts';

interface EraseUserProps {
  user: UserRecord;
  scope: Scope;
  opened: boolean;
  onClose: () => void;
  onErased: () => void;
}

/** Erases the record of one user after the operator typed the email. */
export function EraseUser({ user, scope, opened, onClose, onErased }: EraseUserProps) {
  const client = useQueryClient();
  const erase = useMutation({
    mutationFn: () => call('DELETE /auth/users/:id', { params: { id: user.id }, query: scopeParameter(scope) }),
    onSuccess: async () => {
      notifications.show({ title: 'User erased', message: `All data of ${user.email} was deleted` });
      onErased();
      client.removeQueries({ queryKey: ['user', user.id] });
      await Promise.all([
        client.invalidateQueries({ queryKey: ['users'] }),
        client.invalidateQueries({ queryKey: ['stats'] }),
      ]);
    },
  });
  return (
    <TypedConfirmation
      opened={opened}
      title="Erase user"
      label="Email"
      expected={user.email}
      action="Erase permanently"
      pending={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        This deletes the record and all its list items from the database. A later submission with the same email creates
        a new record.
      </Text>
    </TypedConfirmation>
  );
}
