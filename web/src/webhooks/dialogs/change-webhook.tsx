import { Modal } from '@mantine/core';
import { t } from '../../texts/texts.ts';
import { useWebhookChanges } from '../queries.ts';
import type { WebhookDialogProps } from './dialog-props.ts';
import { WebhookForm } from './webhook-form.tsx';

export function ChangeWebhook({ webhook, scope, opened, onClose }: WebhookDialogProps) {
  const { change } = useWebhookChanges(scope);
  const close = (): void => {
    onClose();
    change.reset();
  };
  return (
    <Modal opened={opened} onClose={close} title={t.webhooks.changeTitle}>
      <WebhookForm
        initial={webhook}
        action={t.common.save}
        sending={change}
        onSubmit={(values) => change.mutate({ id: webhook.id, ...values }, { onSuccess: close })}
        onCancel={close}
      />
    </Modal>
  );
}
