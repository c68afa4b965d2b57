import { Button, Group, Stack, Text } from '@mantine/core';
import { OneTimeSecret, SecretDialog } from '../components/content/one-time-secret.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { EVENTS, hidesUrl } from './names.ts';
import { useWebhookChanges } from './queries.ts';
import { WebhookForm } from './webhook-form.tsx';

interface CreateWebhookProps {
  scope: Scope;
  opened: boolean;
  onClose: () => void;
}

/** Asks for the URL and the events of a new webhook, creates it and shows its secret once. */
export function CreateWebhook({ scope, opened, onClose }: CreateWebhookProps) {
  const { create } = useWebhookChanges(scope);
  const close = (): void => {
    onClose();
    if (!create.isPending) create.reset();
  };
  const created = create.data;
  // Nothing verifies the signature of a message for people.
  const hasSecret = created !== undefined && !hidesUrl(created);
  return (
    <SecretDialog
      opened={opened || created !== undefined}
      onClose={close}
      title={created ? t.webhooks.nowAdded : t.webhooks.add}
      isShown={hasSecret}
    >
      {created && !hasSecret && (
        <Stack>
          <Text className="breaks">{t.webhooks.getsMessages(created.url)}</Text>
          <Group justify="flex-end">
            <Button onClick={close}>{t.webhooks.done}</Button>
          </Group>
        </Stack>
      )}
      {hasSecret && (
        <OneTimeSecret name="secret" text={created.secret} warning={t.webhooks.secretWarning} onClose={close}>
          <Text className="breaks">{t.webhooks.getsEvents(created.url)}</Text>
        </OneTimeSecret>
      )}
      {!created && (
        <WebhookForm
          scope={scope}
          initial={{ format: 'standard', events: EVENTS }}
          action={t.webhooks.submit}
          sending={create}
          onSubmit={({ url = '', ...values }) => create.mutate({ url, ...values })}
          onCancel={close}
        />
      )}
    </SecretDialog>
  );
}
