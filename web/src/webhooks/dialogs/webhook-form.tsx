import { Checkbox, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/call.ts';
import type { Webhook } from '../../api/endpoints.ts';
import { FormActions } from '../../components/form-actions.tsx';
import { Problem } from '../../components/problem.tsx';
import { EVENTS } from '../names.ts';

type Values = Pick<Webhook, 'url' | 'events'>;

interface WebhookFormProps {
  initial: Values;
  action: string;
  pending: boolean;
  error: Error | null;
  onSubmit: (values: Values) => void;
  onCancel: () => void;
}

/** The URL and the events of a webhook. */
export function WebhookForm({ initial, action, pending, error, onSubmit, onCancel }: WebhookFormProps) {
  const [url, setUrl] = useState(initial.url);
  const [events, setEvents] = useState<string[]>(initial.events);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ url: url.trim(), events: EVENTS.map(({ type }) => type).filter((type) => events.includes(type)) });
  };
  const issues = error instanceof ApiError ? error.issues : [];
  const ofUrl = issues.find(({ path }) => path === 'url');
  const ofEvents = issues.find(({ path }) => path.startsWith('events'));
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="URL"
          description="The address of the program that receives the events. It begins with https://."
          placeholder="https://example.com/hooks"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          data-autofocus
          maxLength={2_000}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={ofUrl && `The URL ${ofUrl.message}.`}
        />
        <Checkbox.Group
          label="Events"
          value={events}
          onChange={setEvents}
          error={ofEvents && 'Choose at least one event.'}
        >
          <Stack gap="xs" mt="xs">
            {EVENTS.map(({ type, name, note }) => (
              <Checkbox key={type} value={type} label={name} description={note} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Problem error={ofUrl || ofEvents ? null : error} />
        <FormActions action={action} loading={pending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
