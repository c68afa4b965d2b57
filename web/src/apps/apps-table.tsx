import { Link } from 'wouter';
import { Time } from '../components/content/time.tsx';
import table from '../components/table/data-table.module.css';
import { DataTable } from '../components/table/data-table.tsx';
import { SortHeader } from '../components/table/sort-header.tsx';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { startPath } from '../users/scope.ts';
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
  const sortable = (sort: AppOrder['sort'], name: string) => ({
    name,
    header: (
      <SortHeader
        name={name}
        sorted={order.sort === sort ? order.order : undefined}
        first={sort === 'sourceAppId' ? 'asc' : 'desc'}
        onSort={(next) => onSort({ sort, order: next })}
      />
    ),
  });
  return (
    <DataTable
      label={t.apps.table}
      rows={rows}
      columns={[
        {
          ...sortable('sourceAppId', t.apps.app),
          cell: ({ id, name }) => (
            <>
              <Link href={startPath({ sourceAppId: id })} className={classes.name ?? ''}>
                {name ?? id}
              </Link>
              {name !== undefined && <div className={table.detail}>{id}</div>}
            </>
          ),
        },
        {
          name: t.apps.users,
          isNumber: true,
          cell: ({ users }) => (users === undefined ? '…' : formatNumber(users)),
        },
        {
          ...sortable('lastSubmissionAt', t.apps.lastSubmission),
          cell: ({ lastSubmissionAt }) => (lastSubmissionAt ? <Time at={lastSubmissionAt} relative /> : '–'),
        },
        {
          ...sortable('createdAt', t.common.created),
          cell: ({ createdAt }) => <Time at={createdAt} relative />,
        },
      ]}
      actions={(app) => <AppMenu app={app} onOpenDialog={onOpenDialog} />}
    />
  );
}
