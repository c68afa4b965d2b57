import { Button, Group, NativeSelect, Text } from '@mantine/core';
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
  const range = shown === 0 ? '0' : `${first.toLocaleString()}–${last.toLocaleString()}`;
  if (page === 1 && shown === 0) return null;
  return (
    <nav className={classes.pager} aria-label="Pagination">
      <Text size="sm" c="dimmed" aria-live="polite">
        {total === undefined ? range : `${range} of ${total.toLocaleString()}`}
      </Text>
      <Group gap="xs">
        <NativeSelect
          aria-label="Rows per page"
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
