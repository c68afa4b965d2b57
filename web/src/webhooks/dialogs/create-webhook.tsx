import { Text } from '@mantine/core';
import { SecretDialog } from '../../components/one-time-secret.tsx';
import type { Scope } from '../../users/scope.ts';
import { EVENTS } from '../names.ts';
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
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title={created ? 'The webhook was added' : 'Add webhook'}
      isShown={created !== undefined}
    >
      {created ? (
        <NewSecret secret={created.secret} onClose={close}>
          <Text size="sm" className="breaks">
            <strong>{created.url}</strong> gets the events from now on. Its program verifies with this secret that an
            event comes from here.
          </Text>
        </NewSecret>
      ) : (
        <WebhookForm
          initial={{ url: '', events: EVENTS.map(({ type }) => type) }}
          action="Add"
          pending={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onCancel={close}
        />
      )}
    </SecretDialog>
  );
}
