import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  action: string;
  isDangerous?: boolean;
  pending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** Explains the consequences. */
  children: ReactNode;
}

/** Asks before an action that has consequences. */
export function ConfirmDialog({ opened, title, onClose, ...rest }: ConfirmDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Confirmation onClose={onClose} {...rest} />
    </Modal>
  );
}

export function Confirmation(props: Omit<ConfirmDialogProps, 'opened' | 'title'>) {
  const { action, isDangerous = false, pending, error, onConfirm, onClose, children } = props;
  return (
    <Stack>
      {children}
      <Problem error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button {...(isDangerous && { color: 'red.9' })} loading={pending} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
}

interface ConfirmDeleteProps {
  /** The id of the object to delete; undefined: the dialog is closed. */
  id: string | undefined;
  title: string;
  remove: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'reset' | 'isPending' | 'error'>;
  onClose: () => void;
  /** Names the object, and explains the consequences. */
  children: ReactNode;
}

/** Asks before a deletion, and shows why it failed. */
export function ConfirmDelete({ id, title, remove, onClose, children }: ConfirmDeleteProps) {
  const close = (): void => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      opened={id !== undefined}
      title={title}
      action="Delete"
      isDangerous
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => id !== undefined && remove.mutate(id, { onSuccess: close })}
      onClose={close}
    >
      {children}
    </ConfirmDialog>
  );
}
