import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { count } from '../../components/count.ts';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
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
      notifications.show({ title: 'Users erased', message: `${count(total, 'user')} were erased` });
      onClose();
    }
    await Promise.all([
      client.invalidateQueries({ queryKey: ['users'] }),
      client.invalidateQueries({ queryKey: ['stats'] }),
    ]);
  };
  if (erasure) return <Progress erasure={erasure} onStop={stop} onClose={onClose} />;
  const named = [...users.values()].slice(0, SHOWN_EMAILS).join(', ');
  const others = users.size - SHOWN_EMAILS;
  return (
    <TypedConfirmation
      opened
      title="Erase selected users"
      label="Number of users"
      expected={String(users.size)}
      action={`Erase ${count(users.size, 'user')} permanently`}
      pending={false}
      error={null}
      onConfirm={() => void erase()}
      onClose={onClose}
    >
      <Text size="sm" className="breaks">
        This deletes the records of {count(users.size, 'selected user')} from the database: {named}
        {others > 0 && ` and ${others.toLocaleString()} more`}.
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
  const title = isRunning ? 'Erasing users' : `${count(gone.length, 'user')} erased`;
  return (
    <Modal opened onClose={isRunning ? onStop : onClose} title={title} closeOnClickOutside={false}>
      <Stack>
        <Text size="sm" role="status">
          {gone.length.toLocaleString()} of {total.toLocaleString()} users are erased.
          {!isRunning && left > 0 && ` ${count(left, 'user')} were not tried.`}
          {!isRunning && left + failures.length > 0 && ' Those that were not erased stay selected.'}
        </Text>
        <progress aria-label="Erased users" value={gone.length} max={Math.max(1, total)} />
        {failures.length > 0 && (
          <Alert
            color="red"
            variant="light"
            role="alert"
            title={`${count(failures.length, 'user')} could not be erased`}
          >
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
              Stop
            </Button>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
