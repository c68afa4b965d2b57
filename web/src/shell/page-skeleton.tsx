import { Skeleton, Stack } from '@mantine/core';
import { t } from '../texts/first-texts.ts';

export function PageSkeleton() {
  return (
    <Stack aria-busy="true" aria-label={t.components.loading} role="status">
      <Skeleton h={32} w={220} />
      <Skeleton h={120} />
      <Skeleton h={320} />
    </Stack>
  );
}
