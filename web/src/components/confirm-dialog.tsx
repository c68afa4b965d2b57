import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../texts/texts.ts';
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
          {t.common.cancel}
        </Button>
        <Button {...(isDangerous && { color: 'red.9' })} loading={pending} onClick={onConfirm}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
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
export function ConfirmRemoval({
  id,
  remove,
  action = t.common.delete,
  onClose,
  onDone,
  ...about
}: ConfirmRemovalProps) {
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
      action={action}
      isDangerous
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => id !== undefined && remove.mutate(id, { onSuccess: done })}
      onClose={close}
      {...about}
    />
  );
}
