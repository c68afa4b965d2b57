import { Skeleton, Stack } from '@mantine/core';
import { t } from '../texts/texts.ts';

export function PageSkeleton() {
  return (
    <Stack aria-busy="true" aria-label={t.shell.loading} role="status">
      <Skeleton h={32} w={220} />
      <Skeleton h={120} />
      <Skeleton h={320} />
    </Stack>
  );
}
