import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { count } from '../../components/count.ts';
import { FormActions } from '../../components/form-actions.tsx';
import { Problem } from '../../components/problem.tsx';
import type { WebhookDialogProps } from '../dialogs/dialog-props.ts';
import { useWebhookChanges } from '../queries.ts';

const DAY_MS = 86_400_000;

/** Delivers all events since a time again. */
export function ReplaySince({ opened, onClose, ...rest }: WebhookDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Replay deliveries">
      <ReplayForm onClose={onClose} {...rest} />
    </Modal>
  );
}

// A separate component, so that closing the dialog resets the input.
function ReplayForm({ webhook, scope, onClose }: Omit<WebhookDialogProps, 'opened'>) {
  const { replaySince } = useWebhookChanges(scope);
  const [since, setSince] = useState(() => localText(new Date(Date.now() - DAY_MS)));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replaySince.mutate(
      { id: webhook.id, since: new Date(since).toISOString() },
      {
        onSuccess: ({ replayed }) => {
          onClose();
          notifications.show({
            title: replayed === 0 ? 'Nothing to replay' : `${count(replayed, 'event')} will be delivered again`,
            message: replayed === 0 ? 'No event since then was delivered or given up.' : 'The oldest come first.',
          });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" className="breaks">
          Every event since this time that was delivered or given up goes to <strong>{webhook.url}</strong> again, with
          its webhook-id, and with the record as it is now. At most 100,000 at once; deliveries are kept for 30 days.
        </Text>
        <TextInput
          type="datetime-local"
          label="Since"
          required
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <Problem error={replaySince.error} />
        <FormActions
          action="Replay"
          disabled={Number.isNaN(Date.parse(since))}
          loading={replaySince.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

/** A time as the value of an input, in the time zone of the reader. */
function localText(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
