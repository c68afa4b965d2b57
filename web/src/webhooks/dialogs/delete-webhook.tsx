import { Text } from '@mantine/core';
import { ConfirmRemoval } from '../../components/confirm-dialog.tsx';
import { t } from '../../texts/texts.ts';
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
    <ConfirmRemoval id={id} title={t.webhooks.deleteTitle} remove={remove} onClose={onClose} onDone={onDeleted}>
      <Text className="breaks">{t.webhooks.deleteNote(webhook.url)}</Text>
    </ConfirmRemoval>
  );
}
