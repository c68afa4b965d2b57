import { Skeleton, Stack } from '@mantine/core';
import { t } from '../../texts/first-texts.ts';

export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <Stack p="md" gap="sm" role="status" aria-busy="true" aria-label={t.components.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <Skeleton key={row} h={28} />
      ))}
    </Stack>
  );
}
