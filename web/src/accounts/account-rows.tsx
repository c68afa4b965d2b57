import { Badge, Group, Menu, Table } from '@mantine/core';
import type { ListedAccount } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import table from '../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
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
      isQuiet
      head={
        <>
          <Table.Th>{t.accounts.account}</Table.Th>
          <Table.Th data-wide-only>{t.accounts.secondFactor}</Table.Th>
          <Table.Th data-wide-only>{t.accounts.sessions}</Table.Th>
          <Table.Th data-wide-only>{t.common.created}</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {accounts.map((account) => (
        <Table.Tr key={account.id}>
          <Table.Td className="breaks">
            <Group gap={6}>
              <span>{account.name}</span>
              {account.admin && <Badge color="indigo">{t.accounts.administrator}</Badge>}
              {account.suspended && <Badge color="red">{t.accounts.suspended}</Badge>}
            </Group>
            <div className={table.detail}>{account.email}</div>
            <div className={table.onPhone}>
              {account.secondFactor
                ? t.accounts.withSecondFactor(account.sessions)
                : t.accounts.withoutSecondFactor(account.sessions)}
            </div>
          </Table.Td>
          <Table.Td data-wide-only>{account.secondFactor ? t.accounts.on : t.accounts.off}</Table.Td>
          <Table.Td data-wide-only>{formatNumber(account.sessions)}</Table.Td>
          <Table.Td data-wide-only>
            <Time at={account.createdAt} relative />
          </Table.Td>
          <Table.Td className={table.right ?? ''}>
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
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
