import { Text } from '@mantine/core';
import { Confirmation } from '../../components/confirm-dialog.tsx';
import { OneTimeSecret, SecretDialog } from '../../components/one-time-secret.tsx';
import { t } from '../../texts/texts.ts';
import { useWebhookChanges } from '../queries.ts';
import type { WebhookDialogProps } from './dialog-props.ts';

/** Replaces the secret of a webhook after a confirmation, and shows the new one once. */
export function RotateSecret({ webhook, scope, opened, onClose }: WebhookDialogProps) {
  const { rotate } = useWebhookChanges(scope);
  const close = (): void => {
    onClose();
    rotate.reset();
  };
  const rotated = rotate.data;
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title={rotated ? t.webhooks.newSecret : t.webhooks.rotate}
      isShown={rotated !== undefined}
    >
      {rotated ? (
        <OneTimeSecret name="secret" text={rotated.secret} warning={t.webhooks.secretWarning} onClose={close}>
          <Text>{t.webhooks.replaceSecret}</Text>
        </OneTimeSecret>
      ) : (
        <Confirmation
          action={t.webhooks.rotate}
          sending={rotate}
          onConfirm={() => rotate.mutate(webhook.id)}
          onClose={close}
        >
          <Text className="breaks">{t.webhooks.rotateNote(webhook.url)}</Text>
        </Confirmation>
      )}
    </SecretDialog>
  );
}
