import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';

interface TypedConfirmationProps {
  opened: boolean;
  title: string;
  /** What has to be typed. */
  expected: string;
  /** What it is, as in "Type the **email** to confirm". */
  noun: string;
  action: string;
  pending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** What will happen. */
  children: ReactNode;
}

/** Asks before what cannot be undone, so that no slip of the hand does it. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <Confirmation {...props} />
    </Modal>
  );
}

// Its own component, so that what was typed is forgotten when the dialog closes.
function Confirmation({
  expected,
  noun,
  action,
  pending,
  error,
  onConfirm,
  onClose,
  children,
}: TypedConfirmationProps) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.trim() === expected) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Text size="sm" component="div">
          This cannot be undone. Type <strong className="breaks">{expected}</strong> to confirm.
        </Text>
        <TextInput
          label={noun}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {error && (
          <Alert color="red" variant="light" role="alert">
            {error.message}.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.9" disabled={typed.trim() !== expected} loading={pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
