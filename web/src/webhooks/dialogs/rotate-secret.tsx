import { Text } from '@mantine/core';
import { Confirmation } from '../../components/confirm-dialog.tsx';
import { SecretDialog } from '../../components/one-time-secret.tsx';
import { useWebhookChanges } from '../queries.ts';
import type { WebhookDialogProps } from './dialog-props.ts';
import { NewSecret } from './new-secret.tsx';

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
      title={rotated ? 'New secret' : 'Rotate secret'}
      isShown={rotated !== undefined}
    >
      {rotated ? (
        <NewSecret secret={rotated.secret} onClose={close}>
          <Text size="sm">
            Replace the secret in your program within 24 hours. Until then the old one signs beside this one.
          </Text>
        </NewSecret>
      ) : (
        <Confirmation
          action="Rotate secret"
          pending={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate(webhook.id)}
          onClose={close}
        >
          <Text size="sm" className="breaks">
            <strong>{webhook.url}</strong> gets a new secret. The old one signs for 24 hours more, beside the new one,
            so that no event is refused while you replace it in your program.
          </Text>
        </Confirmation>
      )}
    </SecretDialog>
  );
}
