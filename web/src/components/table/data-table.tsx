import { Table } from '@mantine/core';
import { type CSSProperties, Fragment, type ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import classes from './data-table.module.css';

export interface Column<Row> {
  name: string;
  /** The header cell, when it has more than the name. */
  header?: ReactNode;
  /** A phone hides it, and shows its content in an element of the class `onPhone`. */
  isWideOnly?: boolean;
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
  /** The least width in pixels. A phone has less. */
  width?: number;
  /** Whether the headings are in small type. */
  isQuiet?: boolean;
  className?: string | undefined;
}

/** A table in a region of its own. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, columns, rows, actions, spacing = 'sm', width, isQuiet, className } = props;
  const region = [classes.scroll, width && classes.wide, isQuiet && classes.quiet, className];
  const style = { '--table-width': width && `${width}px` } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={region.filter(Boolean).join(' ')} style={style} tabIndex={0} aria-label={label}>
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
                <Table.Td key={column.name} {...cellProps(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
              {actions && <Table.Td className={classes.right ?? ''}>{actions(row)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const cellProps = ({ className, isWideOnly }: Pick<Column<never>, 'className' | 'isWideOnly'>) => ({
  className: className ?? '',
  'data-wide-only': isWideOnly || undefined,
});
