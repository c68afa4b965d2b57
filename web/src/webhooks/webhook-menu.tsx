import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { Webhook } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { KeyIcon, TrashIcon } from '../components/icons.tsx';
import type { Scope } from '../users/scope.ts';
import { ChangeWebhook } from './dialogs/change-webhook.tsx';
import { DeleteWebhook } from './dialogs/delete-webhook.tsx';
import { RotateSecret } from './dialogs/rotate-secret.tsx';
import { useWebhookChanges } from './queries.ts';

interface WebhookMenuProps {
  webhook: Webhook;
  scope: Scope;
  onDeleted?: () => void;
}

/** Changes, disables or deletes a webhook, or replaces its secret. */
export function WebhookMenu({ webhook, scope, onDeleted }: WebhookMenuProps) {
  const [dialog, setDialog] = useState<'change' | 'rotate' | 'delete'>();
  const { change } = useWebhookChanges(scope);
  const close = (): void => setDialog(undefined);
  const disable = (): void =>
    change.mutate(
      { id: webhook.id, enabled: false },
      {
        onSuccess: () =>
          notifications.show({
            title: 'The webhook is disabled',
            message: 'What happens until you enable it is not delivered, not even later.',
          }),
        onError: ({ message }) => notifications.show({ color: 'red', title: 'Not disabled', message: `${message}.` }),
      },
    );
  return (
    <>
      <ActionsMenu name={webhook.url}>
        <Menu.Item onClick={() => setDialog('change')}>Change URL and events</Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => setDialog('rotate')}>
          Rotate secret
        </Menu.Item>
        {webhook.state === 'active' && <Menu.Item onClick={disable}>Disable</Menu.Item>}
        <Menu.Item
          leftSection={<TrashIcon size={16} />}
          c="var(--mantine-color-error)"
          onClick={() => setDialog('delete')}
        >
          Delete
        </Menu.Item>
      </ActionsMenu>
      <ChangeWebhook webhook={webhook} scope={scope} opened={dialog === 'change'} onClose={close} />
      <RotateSecret webhook={webhook} scope={scope} opened={dialog === 'rotate'} onClose={close} />
      <DeleteWebhook {...{ webhook, scope, opened: dialog === 'delete', onClose: close, onDeleted }} />
    </>
  );
}
