import { Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/first-texts.ts';
import { Dialog } from './dialog.tsx';
import { DialogForm, type Sending } from './form.tsx';
import { AS_TYPED, inputProps } from './input.ts';

interface ConfirmationProps {
  action: string;
  isDangerous?: boolean;
  sending: Sending | undefined;
  onConfirm: () => void;
  onClose: () => void;
  /** Explains the consequences. */
  children: ReactNode;
}

interface ConfirmDialogProps extends ConfirmationProps {
  opened: boolean;
  title: string;
}

/** Asks before an action that has consequences. */
export function ConfirmDialog({ opened, title, ...confirmation }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={confirmation.onClose} title={title} {...onceSent(confirmation)}>
      <Confirmation {...confirmation} />
    </Dialog>
  );
}

/** What was typed is used once it is sent: the page that follows loses nothing. */
const onceSent = ({ sending }: Pick<ConfirmationProps, 'sending'>) => (sending?.isPending ? { isDirty: false } : {});

export function Confirmation({ onConfirm, onClose, ...form }: ConfirmationProps) {
  return <DialogForm onSubmit={onConfirm} onCancel={onClose} {...form} />;
}

interface ConfirmRemovalProps {
  /** The id of the object to remove; undefined: the dialog is closed. */
  id: string | undefined;
  title: string;
  action?: string;
  remove: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'reset' | 'isPending' | 'error'>;
  onClose: () => void;
  /** Is called after the removal. */
  onDone?: (() => void) | undefined;
  /** Names the object, and explains the consequences. */
  children: ReactNode;
}

/** Asks before a removal, and shows why it failed. */
export function ConfirmRemoval(props: ConfirmRemovalProps) {
  const { id, title, action = t.common.delete, remove, onClose, onDone, children } = props;
  const close = (): void => {
    remove.reset();
    onClose();
  };
  const done = (): void => {
    close();
    onDone?.();
  };
  return (
    <ConfirmDialog
      opened={id !== undefined}
      title={title}
      action={action}
      isDangerous
      sending={remove}
      onConfirm={() => id !== undefined && remove.mutate(id, { onSuccess: done })}
      onClose={close}
    >
      {children}
    </ConfirmDialog>
  );
}

interface TypedConfirmationProps extends Omit<ConfirmDialogProps, 'isDangerous'> {
  /** The text that enables the action. */
  expected: string;
  /** Other ways to type it; each text is compared as this function returns it. */
  normalize?: (typed: string) => string;
  /** The label of the input, for example `Email`. */
  label: string;
}

/** Confirms an irreversible action: the reader must type the name of what is deleted. */
export function TypedConfirmation({ opened, title, ...confirmation }: TypedConfirmationProps) {
  return (
    <Dialog opened={opened} onClose={confirmation.onClose} title={title} {...onceSent(confirmation)}>
      <TypedForm {...confirmation} />
    </Dialog>
  );
}

// A separate component, so that closing the dialog resets the input.
function TypedForm(props: Omit<TypedConfirmationProps, 'opened' | 'title'>) {
  const { expected, normalize = (text) => text.trim(), label, onConfirm, onClose, children, ...form } = props;
  const [typed, setTyped] = useState('');
  const isTyped = normalize(typed) === normalize(expected);
  return (
    <DialogForm isDangerous disabled={!isTyped} onSubmit={() => isTyped && onConfirm()} onCancel={onClose} {...form}>
      {children}
      <Text component="div">{t.components.typeToConfirm(expected)}</Text>
      <TextInput label={label} autoComplete="off" {...AS_TYPED} data-autofocus {...inputProps(typed, setTyped)} />
    </DialogForm>
  );
}
