import { Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { Webhook } from '../api/endpoints.ts';
import { OneTimeSecret, SecretDialog } from '../components/content/one-time-secret.tsx';
import { ActionsMenu } from '../components/form/actions-menu.tsx';
import { Confirmation, ConfirmRemoval } from '../components/form/confirm-dialog.tsx';
import { Dialog } from '../components/form/dialog.tsx';
import { KeyIcon, TrashIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { useWebhookChanges } from './queries.ts';
import { WebhookForm } from './webhook-form.tsx';

interface WebhookMenuProps {
  webhook: Webhook;
  scope: Scope;
  onDeleted?: () => void;
}

/** Changes, disables or deletes a webhook, or replaces its secret. */
export function WebhookMenu({ webhook, scope, onDeleted }: WebhookMenuProps) {
  const [dialog, setDialog] = useState<'change' | 'rotate' | 'delete'>();
  const { change, rotate, remove } = useWebhookChanges(scope);
  const close = (): void => {
    setDialog(undefined);
    change.reset();
    if (!rotate.isPending) rotate.reset();
  };
  const disable = (): void =>
    change.mutate(
      { id: webhook.id, enabled: false },
      {
        onSuccess: () => notifications.show({ title: t.webhooks.nowDisabled, message: t.webhooks.nowDisabledNote }),
        onError: ({ message }) => {
          notifications.show({ color: 'red', title: t.webhooks.notDisabled, message: `${message}.` });
          change.reset();
        },
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
      <Dialog opened={dialog === 'change'} onClose={close} title={t.webhooks.changeTitle}>
        <WebhookForm
          scope={scope}
          initial={webhook}
          action={t.common.save}
          sending={change}
          onSubmit={(values) => change.mutate({ id: webhook.id, ...values }, { onSuccess: close })}
          onCancel={close}
        />
      </Dialog>
      <RotateSecret webhook={webhook} rotate={rotate} opened={dialog === 'rotate'} onClose={close} />
      <ConfirmRemoval
        id={dialog === 'delete' ? webhook.id : undefined}
        title={t.webhooks.deleteTitle}
        remove={remove}
        onClose={close}
        onDone={onDeleted}
      >
        <Text className="breaks">{t.webhooks.deleteNote(webhook.url)}</Text>
      </ConfirmRemoval>
    </>
  );
}

interface RotateSecretProps {
  webhook: Webhook;
  rotate: ReturnType<typeof useWebhookChanges>['rotate'];
  opened: boolean;
  onClose: () => void;
}

/** Replaces the secret of a webhook after a confirmation, and shows the new one once. */
function RotateSecret({ webhook, rotate, opened, onClose }: RotateSecretProps) {
  const rotated = rotate.data;
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title={rotated ? t.webhooks.newSecret : t.webhooks.rotate}
      isShown={rotated !== undefined}
    >
      {rotated ? (
        <OneTimeSecret name="secret" text={rotated.secret} warning={t.webhooks.secretWarning} onClose={onClose}>
          <Text>{t.webhooks.replaceSecret}</Text>
        </OneTimeSecret>
      ) : (
        <Confirmation
          action={t.webhooks.rotate}
          sending={rotate}
          onConfirm={() => rotate.mutate(webhook.id)}
          onClose={onClose}
        >
          <Text className="breaks">{t.webhooks.rotateNote(webhook.url)}</Text>
        </Confirmation>
      )}
    </SecretDialog>
  );
}
