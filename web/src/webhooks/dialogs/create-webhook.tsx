import { Button, Group, Stack, Text } from '@mantine/core';
import { SecretDialog } from '../../components/one-time-secret.tsx';
import type { Scope } from '../../users/scope.ts';
import { EVENTS, hidesUrl } from '../names.ts';
import { useWebhookChanges } from '../queries.ts';
import { NewSecret } from './new-secret.tsx';
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
    create.reset();
  };
  const created = create.data;
  // Nothing verifies the signature of a message for people.
  const hasSecret = created !== undefined && !hidesUrl(created);
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title={created ? 'The webhook was added' : 'Add webhook'}
      isShown={hasSecret}
    >
      {created && !hasSecret && (
        <Stack>
          <Text size="sm" className="breaks">
            <strong>{created.url}</strong> gets a message for each event from now on. Its whole URL is not shown again.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
      {hasSecret && (
        <NewSecret secret={created.secret} onClose={close}>
          <Text size="sm" className="breaks">
            <strong>{created.url}</strong> gets the events from now on. Its program verifies with this secret that an
            event comes from here.
          </Text>
        </NewSecret>
      )}
      {!created && (
        <WebhookForm
          initial={{ format: 'standard', events: EVENTS.map(({ type }) => type) }}
          action="Add"
          pending={create.isPending}
          error={create.error}
          onSubmit={({ url = '', ...values }) => create.mutate({ url, ...values })}
          onCancel={close}
        />
      )}
    </SecretDialog>
  );
}
