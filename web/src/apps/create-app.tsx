import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { call, Refusal } from '../api/call.ts';
import { NewPassword } from './new-password.tsx';

/** Names a new app, then shows its password this once. */
export function CreateApp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (sourceAppId: string) => call('POST /auth/apps', { body: { sourceAppId } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['apps'] }),
        client.invalidateQueries({ queryKey: ['admin-stats'] }),
      ]),
  });
  const close = (): void => {
    onClose();
    create.reset();
  };
  const made = create.data;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? `${made.sourceAppId} is created` : 'Create an app'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
    >
      {made ? (
        <NewPassword
          {...made}
          onClose={close}
          next={
            <Button component={Link} href={`/apps/${made.sourceAppId}`}>
              Design its fields
            </Button>
          }
        />
      ) : (
        <NameForm onSubmit={create.mutate} pending={create.isPending} error={create.error} onCancel={close} />
      )}
    </Modal>
  );
}

interface NameFormProps {
  onSubmit: (sourceAppId: string) => void;
  pending: boolean;
  error: Error | null;
  onCancel: () => void;
}

function NameForm({ onSubmit, pending, error, onCancel }: NameFormProps) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="App id"
          description="Letters, digits, dots, underscores and hyphens. Forms send it with each submission; it cannot be changed later."
          placeholder="newsletter"
          required
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={error && reason(error)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={pending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function reason(error: Error): string {
  if (!(error instanceof Refusal)) return `${error.message}. Try again.`;
  if (error.status === 409) return 'There is an app with this id already. Choose another.';
  const [issue] = error.issues;
  return issue ? `This ${issue.message}.` : `${error.message}.`;
}
