import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { LeftIcon, RightIcon } from './icons.tsx';
import classes from './pager.module.css';

interface PagerProps {
  /** Page number, from 1. */
  page: number;
  size: number;
  sizes: readonly number[];
  shown: number;
  /** `undefined` when the service does not count them. */
  total?: number | undefined;
  onChange: (change: { page?: number; size?: number }) => void;
}

/** Shows the range of the current page, the page size and buttons for the adjacent pages. */
export function Pager({ page, size, sizes, shown, total, onChange }: PagerProps) {
  const first = (page - 1) * size + 1;
  const last = first + shown - 1;
  const isLast = total === undefined ? shown < size : last >= total;
  const range = shown === 0 ? '0' : `${formatNumber(first)}–${formatNumber(last)}`;
  if (page === 1 && shown === 0) return null;
  return (
    <nav className={classes.pager} aria-label={t.components.pages}>
      <Text c="dimmed" aria-live="polite">
        {total === undefined ? range : t.components.rangeOf(range, total)}
      </Text>
      <Group gap="xs">
        <NativeSelect
          aria-label={t.components.rowsPerPage}
          size="xs"
          value={String(size)}
          data={sizes.map((value) => ({ value: String(value), label: t.components.rows(value) }))}
          onChange={(event) => onChange({ size: Number(event.currentTarget.value) })}
        />
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
      </Group>
    </nav>
  );
}
