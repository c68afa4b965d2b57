import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { call, hasStatus } from '../api/call.ts';
import { t } from '../texts/texts.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

/** Sends the person of a record a link to the own entry, and says why none is sent. */
export function SendEntryLink({ scope, id, email }: { scope: Scope; id: string; email: string }) {
  const texts = t.record.entryLink;
  const send = useMutation({
    mutationFn: () => call('POST /auth/users/:id/entry-link', { params: { id }, query: scopeParameter(scope) }),
    onSuccess: () => notifications.show({ title: texts.sent, message: texts.sentNote(email) }),
    onError: (error) => {
      const message = hasStatus(error, 409) ? texts.off : hasStatus(error, 429) ? texts.tooMany : error.message;
      notifications.show({ color: 'red', title: texts.notSent, message });
    },
  });
  return (
    <Menu.Item disabled={send.isPending} onClick={() => send.mutate()}>
      {texts.action}
    </Menu.Item>
  );
}
