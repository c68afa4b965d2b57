import { Badge, Group, Menu } from '@mantine/core';
import type { ListedAccount } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { ActionsMenu } from '../components/form/actions-menu.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { ACTIONS, type OpenAccountDialog } from './account-dialogs.tsx';

interface AccountRowsProps {
  accounts: readonly ListedAccount[];
  onOpen: (dialog: OpenAccountDialog) => void;
}

export function AccountRows({ accounts, onOpen }: AccountRowsProps) {
  return (
    <DataTable
      label={t.accounts.table}
      width={640}
      rows={accounts}
      columns={[
        { name: t.accounts.account, className: 'breaks', cell: (account) => <Name account={account} /> },
        {
          name: t.accounts.secondFactor,
          cell: ({ secondFactor }) => (secondFactor ? t.accounts.on : t.accounts.off),
        },
        { name: t.accounts.sessions, isNumber: true, cell: ({ sessions }) => formatNumber(sessions) },
        { name: t.common.created, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
      ]}
      actions={(account) => (
        <ActionsMenu name={account.email}>
          {ACTIONS.filter(({ isFor }) => isFor(account)).map(({ kind, isDangerous }) => (
            <Menu.Item
              key={kind}
              {...(isDangerous && { c: 'var(--mantine-color-error)' })}
              onClick={() => onOpen({ kind, account })}
            >
              {t.accounts.actions[kind].name}
            </Menu.Item>
          ))}
        </ActionsMenu>
      )}
    />
  );
}

function Name({ account: { name, email, admin, suspended } }: { account: ListedAccount }) {
  return (
    <>
      <Group gap={6}>
        <span>{name}</span>
        {admin && <Badge color="indigo">{t.accounts.administrator}</Badge>}
        {suspended && <Badge color="red">{t.accounts.suspended}</Badge>}
      </Group>
      <div className={table.detail}>{email}</div>
    </>
  );
}
