import { Skeleton, Stack } from '@mantine/core';

/** Keeps the place of a table that is being loaded. */
export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <Stack p="md" gap="sm" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Skeleton key={row} h={28} />
      ))}
    </Stack>
  );
}
