import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { UserRecord } from '../api/endpoints.ts';
import { TypedConfirmation } from '../components/typed-confirmation.tsx';

interface EraseUserProps {
  user: UserRecord;
  opened: boolean;
  onClose: () => void;
  onErased: () => void;
}

/** Removes all that is stored of one person, after their email was typed. */
export function EraseUser({ user, opened, onClose, onErased }: EraseUserProps) {
  const client = useQueryClient();
  const erase = useMutation({
    mutationFn: () => call('DELETE /auth/users/:id', { params: { id: user.id } }),
    onSuccess: async () => {
      notifications.show({ title: 'Erased', message: `Nothing of ${user.email} is stored any more.` });
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
      title="Erase this person"
      noun="Email"
      expected={user.email}
      action="Erase for ever"
      pending={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        The record of this person and every item in it will be removed from the database. A later submission with the
        same email begins a new record.
      </Text>
    </TypedConfirmation>
  );
}
