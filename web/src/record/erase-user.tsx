import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { UserRecord } from '../api/endpoints.ts';
import { invalidate } from '../api/mutations.ts';
import { TypedConfirmation } from '../components/form/confirm-dialog.tsx';
import { t } from '../texts/texts.ts';
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
  const queryKey = ['user', user.id];
  const erase = useMutation({
    mutationFn: () => call('DELETE /auth/users/:id', { params: { id: user.id }, query: scopeParameter(scope) }),
    onSuccess: () => {
      notifications.show({ title: t.record.erased, message: t.record.erasedNote(user.email) });
      client.removeQueries({ queryKey, type: 'inactive' });
      void invalidate(client, 'users', 'stats');
    },
  });
  // Not of the mutation, which outlives this component: a late answer would leave another page.
  const leave = (): void => {
    onErased();
    client.removeQueries({ queryKey });
  };
  return (
    <TypedConfirmation
      opened={opened}
      title={t.record.erase}
      label={t.common.email}
      expected={user.email}
      action={t.record.erasePermanently}
      sending={erase}
      onConfirm={() => erase.mutate(undefined, { onSuccess: leave })}
      onClose={onClose}
    >
      <Text>{t.record.eraseNote}</Text>
    </TypedConfirmation>
  );
}
