import { Button, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { count } from '../components/count.ts';
import { Problem } from '../components/problem.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { scopedStatsQuery } from './queries.ts';
import type { Scope } from './scope.ts';
import classes from './search-index.module.css';

/** With fewer users a search reads all of them quickly. */
const OFFERED_FROM = 10_000;
const POLL_INTERVAL_MS = 2_000;

const searchIndexQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['search', sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/search', { params: { sourceAppId }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'building' ? POLL_INTERVAL_MS : false),
  });

/** Offers an index for the search to managers of an app with many users, and shows its progress. */
export function SearchIndex({ scope }: { scope: Scope }) {
  const { sourceAppId } = scope;
  const { manage } = useAbilities();
  const client = useQueryClient();
  const { data: stats } = useQuery(scopedStatsQuery(scope));
  const isLarge = stats !== undefined && stats.users >= OFFERED_FROM;
  const { data: index } = useQuery({ ...searchIndexQuery(sourceAppId), enabled: isLarge });
  const enable = useMutation({
    mutationFn: () => call('PUT /auth/apps/:sourceAppId/search', { params: { sourceAppId }, body: { enabled: true } }),
    onSuccess: (saved) => client.setQueryData(searchIndexQuery(sourceAppId).queryKey, saved),
  });
  if (!isLarge || !index) return null;
  const { state, done, total } = index;
  if (state === 'building') {
    return (
      <div className={classes.search} role="status">
        <Text size="sm">Making search fast{total > 0 && `: ${done.toLocaleString()} of ${count(total, 'user')}`}</Text>
        {/* Before the records are counted, the bar shows no part. */}
        <progress aria-label="Search index" {...(total > 0 && { value: done, max: total })} />
      </div>
    );
  }
  if (state !== 'off' || !manage) return null;
  return (
    <div className={classes.search}>
      <Text size="sm">A search reads all users.</Text>
      <Button variant="default" size="compact-sm" loading={enable.isPending} onClick={() => enable.mutate()}>
        Make search fast
      </Button>
      <Problem error={enable.error} />
    </div>
  );
}
