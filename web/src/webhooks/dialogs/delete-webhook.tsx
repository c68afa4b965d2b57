import { Text } from '@mantine/core';
import { ConfirmRemoval } from '../../components/confirm-dialog.tsx';
import { useWebhookChanges } from '../queries.ts';
import type { WebhookDialogProps } from './dialog-props.ts';

export function DeleteWebhook({
  webhook,
  scope,
  opened,
  onClose,
  onDeleted,
}: WebhookDialogProps & { onDeleted?: (() => void) | undefined }) {
  const { remove } = useWebhookChanges(scope);
  const id = opened ? webhook.id : undefined;
  return (
    <ConfirmRemoval id={id} title="Delete this webhook?" remove={remove} onClose={onClose} onDone={onDeleted}>
      <Text size="sm" className="breaks">
        <strong>{webhook.url}</strong> gets no more events, and what waits for it is not delivered. The list of its
        deliveries is gone. This cannot be undone.
      </Text>
    </ConfirmRemoval>
  );
}
