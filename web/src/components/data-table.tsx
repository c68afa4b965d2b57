import { Table } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { t } from '../texts/texts.ts';
import classes from './data-table.module.css';

interface DataTableProps {
  /** The name of the region, which scrolls when the table is wide. */
  label: string;
  head: ReactNode;
  spacing?: 'xs' | 'sm';
  /** The least width in pixels. A phone has less, and hides the cells with `data-wide-only`. */
  width?: number;
  /** Whether the headings are in small type. */
  isQuiet?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** A table in a region of its own. */
export function DataTable({ label, head, spacing = 'sm', width, isQuiet, className, children }: DataTableProps) {
  const region = [classes.scroll, width && classes.wide, isQuiet && classes.quiet, className];
  const style = { '--table-width': width && `${width}px` } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={region.filter(Boolean).join(' ')} style={style} tabIndex={0} aria-label={label}>
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
      <span className="visually-hidden">{t.components.actions}</span>
    </Table.Th>
  );
}
