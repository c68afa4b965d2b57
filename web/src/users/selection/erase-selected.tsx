import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/mutations.ts';
import { TypedConfirmation } from '../../components/form/confirm-dialog.tsx';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../scope.ts';
import classes from './selection.module.css';
import { type Erasure, useErasure } from './use-erasure.ts';
import type { Selection } from './use-selection.ts';

const SHOWN_EMAILS = 5;

interface EraseSelectedProps {
  scope: Scope;
  selection: Selection;
  onClose: () => void;
}

/** Erases the selected users after the operator typed their number, and names failures. */
export function EraseSelected({ scope, selection, onClose }: EraseSelectedProps) {
  const client = useQueryClient();
  const { erasure, run, stop } = useErasure(scope);
  // The users of the dialog are those that were selected when it opened.
  const [users] = useState(selection.emails);
  const erase = async (): Promise<void> => {
    const { gone, total } = await run(users);
    selection.remove(gone);
    if (gone.length === total) {
      notifications.show({ title: t.users.erasure.erased, message: t.users.erasure.erasedNote(total) });
      onClose();
    }
    await invalidate(client, 'users', 'stats');
  };
  if (erasure) return <Progress erasure={erasure} onStop={stop} onClose={onClose} />;
  const named = [...users.values()].slice(0, SHOWN_EMAILS).join(', ');
  const others = users.size - SHOWN_EMAILS;
  return (
    <TypedConfirmation
      opened
      title={t.users.erasure.titleSelected}
      label={t.users.erasure.number}
      expected={String(users.size)}
      action={t.users.erasure.action(users.size)}
      sending={undefined}
      onConfirm={() => void erase()}
      onClose={onClose}
    >
      <Text className="breaks">
        {others > 0
          ? t.users.erasure.noteMore(users.size, named, others)
          : t.users.erasure.noteSelected(users.size, named)}
      </Text>
    </TypedConfirmation>
  );
}

interface ProgressProps {
  erasure: Erasure;
  onStop: () => void;
  onClose: () => void;
}

function Progress({ erasure: { isRunning, total, gone, failures }, onStop, onClose }: ProgressProps) {
  const left = total - gone.length - failures.length;
  const title = isRunning ? t.users.erasure.running : t.users.erasure.done(gone.length);
  return (
    <Modal opened onClose={isRunning ? onStop : onClose} title={title} closeOnClickOutside={false}>
      <Stack>
        <Text role="status">
          {t.users.erasure.progress(gone.length, total)}
          {isRunning && ` ${t.users.erasure.keepOpen}`}
          {!isRunning && left > 0 && ` ${t.users.erasure.notTried(left)}`}
          {!isRunning && left + failures.length > 0 && ` ${t.users.erasure.staySelected}`}
        </Text>
        <progress aria-label={t.users.erasure.bar} value={gone.length} max={Math.max(1, total)} />
        {failures.length > 0 && (
          <Alert color="red" role="alert" title={t.users.erasure.failed(failures.length)}>
            <ul className={classes.failures}>
              {failures.map(({ email, message }) => (
                <li key={email} className="breaks">
                  {email}: {message}
                </li>
              ))}
            </ul>
          </Alert>
        )}
        <Group justify="flex-end">
          {isRunning ? (
            <Button variant="default" onClick={onStop}>
              {t.users.erasure.stop}
            </Button>
          ) : (
            <Button onClick={onClose}>{t.common.close}</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
