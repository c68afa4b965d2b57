import { Badge, Group, Menu, Table } from '@mantine/core';
import type { ListedAccount } from '../api/endpoints.ts';
import { ActionsMenu } from '../components/actions-menu.tsx';
import { count } from '../components/count.ts';
import table from '../components/data-table.module.css';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { ACTIONS, type OpenAccountDialog } from './account-dialogs.tsx';

interface AccountRowsProps {
  accounts: readonly ListedAccount[];
  onOpen: (dialog: OpenAccountDialog) => void;
}

export function AccountRows({ accounts, onOpen }: AccountRowsProps) {
  return (
    <DataTable
      label="Table of accounts"
      width={640}
      isQuiet
      head={
        <>
          <Table.Th>Account</Table.Th>
          <Table.Th data-wide-only>Second factor</Table.Th>
          <Table.Th data-wide-only>Sessions</Table.Th>
          <Table.Th data-wide-only>Created</Table.Th>
          <ActionsHeader />
        </>
      }
    >
      {accounts.map((account) => (
        <Table.Tr key={account.id}>
          <Table.Td className="breaks">
            <Group gap={6}>
              <span>{account.name}</span>
              {account.admin && (
                <Badge variant="light" color="indigo" tt="none">
                  Administrator
                </Badge>
              )}
              {account.suspended && (
                <Badge variant="light" color="red" tt="none">
                  Suspended
                </Badge>
              )}
            </Group>
            <div className={table.detail}>{account.email}</div>
            <div className={table.onPhone}>
              {account.secondFactor ? 'Second factor on' : 'No second factor'}, {count(account.sessions, 'session')}
            </div>
          </Table.Td>
          <Table.Td data-wide-only>{account.secondFactor ? 'On' : 'Off'}</Table.Td>
          <Table.Td data-wide-only>{account.sessions.toLocaleString()}</Table.Td>
          <Table.Td data-wide-only>
            <Time at={account.createdAt} relative />
          </Table.Td>
          <Table.Td className={table.right ?? ''}>
            <ActionsMenu name={account.email}>
              {ACTIONS.filter(({ isFor }) => isFor(account)).map(({ kind, name, isDangerous }) => (
                <Menu.Item
                  key={kind}
                  {...(isDangerous && { c: 'var(--mantine-color-error)' })}
                  onClick={() => onOpen({ kind, account })}
                >
                  {name}
                </Menu.Item>
              ))}
            </ActionsMenu>
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
