import { Text } from '@mantine/core';
import type { ListedAccount } from '../api/endpoints.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { TypedConfirmation } from '../components/typed-confirmation.tsx';
import { type AccountChange, useAccountAdministration } from './queries.ts';

type Kind = 'makeAdmin' | 'removeAdmin' | 'suspend' | 'restore' | 'endSessions' | 'erase';

export interface OpenAccountDialog {
  kind: Kind;
  account: ListedAccount;
}

interface Action {
  kind: Kind;
  name: string;
  isDangerous?: boolean;
  /** Whether an account in its present state can be changed so. */
  isFor: (account: ListedAccount) => boolean;
  /** What follows. */
  text: string;
  change?: Omit<AccountChange, 'id'>;
}

export const ACTIONS: readonly Action[] = [
  {
    kind: 'makeAdmin',
    name: 'Make administrator',
    isFor: ({ admin, suspended }) => !admin && !suspended,
    text: 'can then do everything in all apps.',
    change: { admin: true },
  },
  {
    kind: 'removeAdmin',
    name: 'Remove as administrator',
    isFor: ({ admin }) => admin,
    text: 'then has only the roles that apps gave.',
    change: { admin: false },
  },
  {
    kind: 'suspend',
    name: 'Suspend',
    isDangerous: true,
    isFor: ({ suspended }) => !suspended,
    text: 'cannot log in while suspended. All sessions end now.',
    change: { suspended: true },
  },
  {
    kind: 'restore',
    name: 'End suspension',
    isFor: ({ suspended }) => suspended,
    text: 'can then log in again.',
    change: { suspended: false },
  },
  {
    kind: 'endSessions',
    name: 'End all sessions',
    isFor: ({ sessions }) => sessions > 0,
    text: 'has to log in again on every device.',
  },
  {
    kind: 'erase',
    name: 'Erase account',
    isDangerous: true,
    isFor: () => true,
    text: 'can no longer log in, and loses all roles. The audit log keeps the id of the account, and nothing else.',
  },
];

/** Asks before a change of an account. */
export function AccountDialog({ kind, account, onClose }: OpenAccountDialog & { onClose: () => void }) {
  const { change, endSessions, erase } = useAccountAdministration();
  const action = ACTIONS.find((one) => one.kind === kind);
  if (!action) return null;
  const done = { onSuccess: onClose };
  const about = (
    <Text size="sm" className="breaks">
      <strong>{account.email}</strong> {action.text}
    </Text>
  );
  if (kind === 'erase') {
    return (
      <TypedConfirmation
        opened
        title="Erase this account?"
        expected={account.email}
        label="Email"
        action="Erase account"
        pending={erase.isPending}
        error={erase.error}
        onConfirm={() => erase.mutate(account.id, done)}
        onClose={onClose}
      >
        {about}
      </TypedConfirmation>
    );
  }
  const confirm = (): void =>
    action.change ? change.mutate({ id: account.id, ...action.change }, done) : endSessions.mutate(account.id, done);
  return (
    <ConfirmDialog
      opened
      title={`${action.name}?`}
      action={action.name}
      isDangerous={action.isDangerous === true}
      pending={change.isPending || endSessions.isPending}
      error={change.error ?? endSessions.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {about}
    </ConfirmDialog>
  );
}
