import { Skeleton, Stack } from '@mantine/core';

export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <Stack p="md" gap="sm" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <Skeleton key={row} h={28} />
      ))}
    </Stack>
  );
}
