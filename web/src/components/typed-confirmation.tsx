import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { t } from '../texts/texts.ts';
import { FormActions } from './form-actions.tsx';
import { Problem } from './problem.tsx';

interface TypedConfirmationProps {
  opened: boolean;
  title: string;
  /** The text that enables the action. */
  expected: string;
  /** Other ways to type it; each text is compared as this function returns it. */
  normalize?: (typed: string) => string;
  /** The label of the input, for example `Email`. */
  label: string;
  action: string;
  pending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** Explains the consequences. */
  children: ReactNode;
}

/** Confirms an irreversible action: the reader must type the name of what is deleted. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <Confirmation {...props} />
    </Modal>
  );
}

// A separate component, so that closing the dialog resets the input.
function Confirmation({
  expected,
  normalize = (text) => text.trim(),
  label,
  action,
  pending,
  error,
  onConfirm,
  onClose,
  children,
}: TypedConfirmationProps) {
  const [typed, setTyped] = useState('');
  const isTyped = normalize(typed) === normalize(expected);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTyped) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Text component="div">{t.components.typeToConfirm(expected)}</Text>
        <TextInput
          label={label}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Problem error={error} />
        <FormActions action={action} color="red.9" disabled={!isTyped} loading={pending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
