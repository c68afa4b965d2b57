import { Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { Webhook } from '../../api/endpoints.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { inputProps, localTime } from '../../components/form/input.ts';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { useWebhookChanges } from '../queries.ts';

const DAY_MS = 86_400_000;

interface ReplaySinceProps {
  webhook: Webhook;
  scope: Scope;
  opened: boolean;
  onClose: () => void;
}

/** Delivers all events since a time again. */
export function ReplaySince({ opened, onClose, ...rest }: ReplaySinceProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t.webhooks.replayTitle}>
      <ReplayForm onClose={onClose} {...rest} />
    </Dialog>
  );
}

// A separate component, so that closing the dialog resets the input.
function ReplayForm({ webhook, scope, onClose }: Omit<ReplaySinceProps, 'opened'>) {
  const { replaySince } = useWebhookChanges(scope);
  const [since, setSince] = useState(() => localTime(new Date(Date.now() - DAY_MS)));
  const submit = (): void =>
    replaySince.mutate(
      { id: webhook.id, since: new Date(since).toISOString() },
      {
        onSuccess: ({ replayed }) => {
          onClose();
          notifications.show({
            title: replayed === 0 ? t.webhooks.nothingToReplay : t.webhooks.willReplay(replayed),
            message: replayed === 0 ? t.webhooks.nothingToReplayNote : t.webhooks.willReplayNote,
          });
        },
      },
    );
  return (
    <DialogForm
      action={t.webhooks.replay}
      sending={replaySince}
      disabled={Number.isNaN(Date.parse(since))}
      onSubmit={submit}
      onCancel={onClose}
    >
      <Text className="breaks">{t.webhooks.replayNote(webhook.url)}</Text>
      <TextInput type="datetime-local" label={t.webhooks.since} required {...inputProps(since, setSince)} />
    </DialogForm>
  );
}
