import { Badge, Table } from '@mantine/core';
import { Link } from 'wouter';
import { ActionsHeader, DataTable } from '../components/data-table.tsx';
import { SortHeader } from '../components/sort-header.tsx';
import { Time } from '../components/time.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { AppMenu, type AppRow, type OpenDialog } from './app-menu.tsx';
import classes from './apps-page.module.css';
import type { AppOrder } from './queries.ts';

interface AppsTableProps {
  rows: readonly AppRow[];
  order: AppOrder;
  onSort: (order: AppOrder) => void;
  onOpenDialog: (dialog: OpenDialog) => void;
}

export function AppsTable({ rows, order, onSort, onOpenDialog }: AppsTableProps) {
  const header = (sort: AppOrder['sort'], name: string) => (
    <SortHeader
      name={name}
      sorted={order.sort === sort ? order.order : undefined}
      first={sort === 'sourceAppId' ? 'asc' : 'desc'}
      onSort={(next) => onSort({ sort, order: next })}
    />
  );
  return (
    <DataTable
      label={t.apps.table}
      className={classes.scroll}
      head={
        <>
          {header('sourceAppId', t.apps.app)}
          <Table.Th>{t.apps.role}</Table.Th>
          <Table.Th className={classes.right ?? ''}>{t.apps.users}</Table.Th>
          {header('lastSubmissionAt', t.apps.lastSubmission)}
          {header('createdAt', t.common.created)}
          <ActionsHeader />
        </>
      }
    >
      {rows.map((app) => (
        <Table.Tr key={app.sourceAppId}>
          <Table.Td>
            <Link href={`/apps/${app.sourceAppId}`} className={classes.name ?? ''}>
              {app.sourceAppId}
            </Link>
          </Table.Td>
          <Table.Td>
            <Badge color={app.role === 'admin' ? 'indigo' : 'gray'}>{t.apps.roles[app.role]}</Badge>
          </Table.Td>
          <Table.Td className={classes.right ?? ''}>{app.users === undefined ? '…' : formatNumber(app.users)}</Table.Td>
          <Table.Td>{app.lastSubmissionAt ? <Time at={app.lastSubmissionAt} relative /> : '–'}</Table.Td>
          <Table.Td>
            <Time at={app.createdAt} relative />
          </Table.Td>
          <Table.Td className={classes.right ?? ''}>
            <AppMenu app={app} onOpenDialog={onOpenDialog} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
