import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { LeftIcon, RightIcon } from './icons.tsx';
import classes from './pager.module.css';

interface PagerProps {
  /** From 1. */
  page: number;
  size: number;
  sizes: readonly number[];
  /** How many are on this page. */
  shown: number;
  /** How many there are in all; unknown where the service does not count them. */
  total?: number;
  onChange: (change: { page?: number; size?: number }) => void;
}

/** Which part of a list is shown, and the way to the next. */
export function Pager({ page, size, sizes, shown, total, onChange }: PagerProps) {
  const first = (page - 1) * size + 1;
  const last = first + shown - 1;
  const isLast = total === undefined ? shown < size : last >= total;
  const range = shown === 0 ? 'Nothing' : `${first.toLocaleString()}–${last.toLocaleString()}`;
  if (page === 1 && shown === 0) return null;
  return (
    <nav className={classes.pager} aria-label="Pages of the list">
      <Text size="sm" c="dimmed" aria-live="polite">
        {total === undefined ? range : `${range} of ${total.toLocaleString()}`}
      </Text>
      <Group gap="xs">
        <NativeSelect
          aria-label="Rows on a page"
          size="xs"
          value={String(size)}
          data={sizes.map((value) => ({ value: String(value), label: `${value} rows` }))}
          onChange={(event) => onChange({ size: Number(event.currentTarget.value) })}
        />
        <Button
          variant="default"
          size="xs"
          disabled={page === 1}
          leftSection={<LeftIcon size={14} />}
          onClick={() => onChange({ page: page - 1 })}
        >
          Previous
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={isLast}
          rightSection={<RightIcon size={14} />}
          onClick={() => onChange({ page: page + 1 })}
        >
          Next
        </Button>
      </Group>
    </nav>
  );
}
