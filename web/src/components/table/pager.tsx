import { Button, NativeSelect, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../texts/first-texts.ts';
import { formatNumber } from '../../texts/format.ts';
import { LeftIcon, RightIcon } from '../icons.tsx';
import classes from './pager.module.css';

interface PagerProps {
  /** Page number, from 1. */
  page: number;
  size: number;
  sizes: readonly number[];
  /** The range of the page in words. */
  range: string;
  isLast: boolean;
  onChange: (change: { page?: number; size?: number }) => void;
  /** Other ways to choose a page. */
  children?: ReactNode;
}

/** Shows the range of the current page, the page size and buttons for the adjacent pages. */
export function Pager({ page, size, sizes, range, isLast, onChange, children }: PagerProps) {
  return (
    <nav className={classes.pager} aria-label={t.components.pages}>
      <Text c="dimmed" aria-live="polite">
        {range}
      </Text>
      <div className={classes.controls}>
        <NativeSelect
          aria-label={t.components.rowsPerPage}
          size="xs"
          value={String(size)}
          data={sizes.map((value) => ({ value: String(value), label: t.components.rows(value) }))}
          onChange={(event) => onChange({ size: Number(event.currentTarget.value) })}
        />
        {children}
        <Button
          variant="default"
          size="xs"
          disabled={page === 1}
          leftSection={<LeftIcon size={14} />}
          onClick={() => onChange({ page: page - 1 })}
        >
          {t.components.previous}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={isLast}
          rightSection={<RightIcon size={14} />}
          onClick={() => onChange({ page: page + 1 })}
        >
          {t.common.next}
        </Button>
      </div>
    </nav>
  );
}

/** The range of a page, for example `51–100`. @param shown the rows on it */
export function pageRange(page: number, size: number, shown: number): string {
  const first = (page - 1) * size + 1;
  return shown === 0 ? '0' : `${formatNumber(first)}–${formatNumber(first + shown - 1)}`;
}
