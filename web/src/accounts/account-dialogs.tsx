import { Text } from '@mantine/core';
import type { ListedAccount } from '../api/endpoints.ts';
import { ConfirmDialog, TypedConfirmation } from '../components/form/confirm-dialog.tsx';
import { t } from '../texts/texts.ts';
import { type AccountChange, useAccountAdministration } from './queries.ts';

type Kind = 'makeAdmin' | 'removeAdmin' | 'suspend' | 'restore' | 'endSessions' | 'erase';

export interface OpenAccountDialog {
  kind: Kind;
  account: ListedAccount;
}

interface Action {
  kind: Kind;
  isDangerous?: boolean;
  /** Whether an account in its present state can be changed so. */
  isFor: (account: ListedAccount) => boolean;
  change?: Omit<AccountChange, 'id'>;
}

export const ACTIONS: readonly Action[] = [
  { kind: 'makeAdmin', isFor: ({ admin, suspended }) => !admin && !suspended, change: { admin: true } },
  { kind: 'removeAdmin', isFor: ({ admin }) => admin, change: { admin: false } },
  { kind: 'suspend', isDangerous: true, isFor: ({ suspended }) => !suspended, change: { suspended: true } },
  { kind: 'restore', isFor: ({ suspended }) => suspended, change: { suspended: false } },
  { kind: 'endSessions', isFor: ({ sessions }) => sessions > 0 },
  { kind: 'erase', isDangerous: true, isFor: () => true },
];

/** Asks before a change of an account. */
export function AccountDialog({ kind, account, onClose }: OpenAccountDialog & { onClose: () => void }) {
  const { change, endSessions, erase } = useAccountAdministration();
  const action = ACTIONS.find((one) => one.kind === kind);
  if (!action) return null;
  const done = { onSuccess: onClose };
  const texts = t.accounts.actions[kind];
  const about = <Text className="breaks">{texts.note(account.email)}</Text>;
  if (kind === 'erase') {
    return (
      <TypedConfirmation
        opened
        title={texts.title}
        expected={account.email}
        label={t.common.email}
        action={texts.name}
        sending={erase}
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
      title={texts.title}
      action={texts.name}
      isDangerous={action.isDangerous === true}
      sending={action.change ? change : endSessions}
      onConfirm={confirm}
      onClose={onClose}
    >
      {about}
    </ConfirmDialog>
  );
}
