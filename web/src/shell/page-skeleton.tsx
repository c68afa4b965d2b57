import { Skeleton, Stack } from '@mantine/core';

export function PageSkeleton() {
  return (
    <Stack aria-busy="true" aria-label="Loading" role="status">
      <Skeleton h={32} w={220} />
      <Skeleton h={120} />
      <Skeleton h={320} />
    </Stack>
  );
}
