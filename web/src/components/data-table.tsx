import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

interface DataTableProps {
  /** The name of the region, which scrolls when the table is wide. */
  label: string;
  head: ReactNode;
  spacing?: 'xs' | 'sm';
  className?: string | undefined;
  children: ReactNode;
}

/** A table in a region of its own. */
export function DataTable({ label, head, spacing = 'sm', className, children }: DataTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={`${classes.scroll} ${className ?? ''}`} tabIndex={0} aria-label={label}>
      <Table verticalSpacing={spacing} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>{head}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  );
}

export function ActionsHeader() {
  return (
    <Table.Th>
      <span className="visually-hidden">Actions</span>
    </Table.Th>
  );
}
