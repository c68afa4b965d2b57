import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { Problem } from '../components/form/problem.tsx';
import { LeftIcon, RightIcon } from '../components/icons.tsx';
import { FROM_LIST } from '../components/page/back-link.tsx';
import { t } from '../texts/texts.ts';
import type { FromList } from '../users/list/list-place.ts';
import { recordPath, type Scope } from '../users/scope.ts';
import { hasNeighbour, neighbourOf } from './neighbour.ts';

/** Leads to the records before and after this one, in the order and the filter of its list. */
export function Neighbours({ scope, id }: { scope: Scope; id: string }) {
  const state = useHistoryState<FromList | null>();
  const [, navigate] = useLocation();
  const list = state?.list;
  const go = useMutation({
    mutationFn: async (step: -1 | 1) => list && neighbourOf(scope, list, id, step),
  });
  // Not of the mutation, which outlives this component: a late answer would leave another page.
  const onSuccess = (found: typeof go.data): void => {
    if (!found) return;
    const { id: next, list: place } = found;
    // Replaced, so that the way back leads to the list.
    navigate(recordPath(scope, next), { replace: true, state: { ...FROM_LIST, list: place } satisfies FromList });
  };
  if (!list) return null;
  // The page of the list may have changed since: then nothing is beside the record.
  const isEnd = (step: -1 | 1): boolean =>
    !hasNeighbour(list, id, step) || (go.variables === step && go.isSuccess && go.data === undefined);
  return (
    <nav aria-label={t.record.neighbours}>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<LeftIcon size={14} />}
          disabled={isEnd(-1) || go.isPending}
          onClick={() => go.mutate(-1, { onSuccess })}
        >
          {t.record.previous}
        </Button>
        <Button
          variant="default"
          size="xs"
          rightSection={<RightIcon size={14} />}
          disabled={isEnd(1) || go.isPending}
          onClick={() => go.mutate(1, { onSuccess })}
        >
          {t.record.next}
        </Button>
      </Group>
      <Problem error={go.error} p="xs" mt="xs" />
    </nav>
  );
}
