import { Table } from '@mantine/core';
import { type CSSProperties, Fragment, type ReactNode } from 'react';
import { t } from '../../texts/first-texts.ts';
import classes from './data-table.module.css';

export interface Column<Row> {
  name: string;
  /** The header cell, when it has more than the name. */
  header?: ReactNode;
  /** Numbers stand at the right, below each other. */
  isNumber?: boolean;
  className?: string | undefined;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  /** The name of the region, which scrolls when the table is wide. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The last column: what can be done with a row. */
  actions?: (row: Row) => ReactNode;
  spacing?: 'xs' | 'sm';
  /** The least width in pixels. */
  width?: number;
  className?: string | undefined;
}

/** A table in a region of its own. A phone shows each row as a card. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, columns, rows, actions, spacing = 'sm', width, className } = props;
  const style = { '--table-width': width && `${width}px` } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={`${classes.scroll} ${className ?? ''}`} style={style} tabIndex={0} aria-label={label}>
      <Table verticalSpacing={spacing} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, header, ...column }) => (
              <Fragment key={name}>{header ?? <Table.Th {...cellProps(column)}>{name}</Table.Th>}</Fragment>
            ))}
            {actions && (
              <Table.Th>
                <span className="visually-hidden">{t.components.actions}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              {columns.map((column) => (
                <Table.Td key={column.name} data-name={column.name} {...cellProps(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
              {actions && <Table.Td className={classes.actions ?? ''}>{actions(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const cellProps = ({ className, isNumber }: Pick<Column<never>, 'className' | 'isNumber'>) => ({
  className: className ?? '',
  'data-number': isNumber || undefined,
});
