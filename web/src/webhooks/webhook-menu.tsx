import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { Webhook } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { KeyIcon, TrashIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
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
            title: t.webhooks.nowDisabled,
            message: t.webhooks.nowDisabledNote,
          }),
        onError: ({ message }) =>
          notifications.show({ color: 'red', title: t.webhooks.notDisabled, message: `${message}.` }),
      },
    );
  return (
    <>
      <ActionsMenu name={webhook.url}>
        <Menu.Item onClick={() => setDialog('change')}>{t.webhooks.changeMenu}</Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => setDialog('rotate')}>
          {t.webhooks.rotate}
        </Menu.Item>
        {webhook.state === 'active' && <Menu.Item onClick={disable}>{t.webhooks.disable}</Menu.Item>}
        <Menu.Item
          leftSection={<TrashIcon size={16} />}
          c="var(--mantine-color-error)"
          onClick={() => setDialog('delete')}
        >
          {t.common.delete}
        </Menu.Item>
      </ActionsMenu>
      <ChangeWebhook webhook={webhook} scope={scope} opened={dialog === 'change'} onClose={close} />
      <RotateSecret webhook={webhook} scope={scope} opened={dialog === 'rotate'} onClose={close} />
      <DeleteWebhook {...{ webhook, scope, opened: dialog === 'delete', onClose: close, onDeleted }} />
    </>
  );
}
