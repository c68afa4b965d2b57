import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useWebhookChanges } from '../queries.ts';
import type { WebhookDialogProps } from './dialog-props.ts';

export function DeleteWebhook({
  webhook,
  scope,
  opened,
  onClose,
  onDeleted,
}: WebhookDialogProps & { onDeleted?: () => void }) {
  const { remove } = useWebhookChanges(scope);
  const close = (): void => {
    onClose();
    remove.reset();
  };
  const confirm = (): void =>
    remove.mutate(webhook.id, {
      onSuccess: () => {
        close();
        onDeleted?.();
      },
    });
  return (
    <ConfirmDialog
      opened={opened}
      title="Delete this webhook?"
      action="Delete"
      isDangerous
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={close}
    >
      <Text size="sm" className="breaks">
        <strong>{webhook.url}</strong> gets no more events, and what waits for it is not delivered. The list of its
        deliveries is gone. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}
