import { Button, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { Problem } from '../components/form/problem.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
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
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'building' || data?.state === 'dropping' ? POLL_INTERVAL_MS : false,
  });

/**
 * Offers an index for the search to managers of an app with many users, shows its progress, and
 * lets them remove it.
 */
export function SearchIndex({ scope }: { scope: Scope }) {
  const { sourceAppId } = scope;
  const { manage } = useAbilities();
  const client = useQueryClient();
  const { data: stats } = useQuery(scopedStatsQuery(scope));
  const isLarge = stats !== undefined && stats.users >= OFFERED_FROM;
  const { data: index } = useQuery({ ...searchIndexQuery(sourceAppId), enabled: isLarge });
  const put = useMutation({
    mutationFn: (enabled: boolean) =>
      call('PUT /auth/apps/:sourceAppId/search', { params: { sourceAppId }, body: { enabled } }),
    onSuccess: (saved) => client.setQueryData(searchIndexQuery(sourceAppId).queryKey, saved),
  });
  if (!isLarge || !index) return null;
  const { state, done, total } = index;
  if (state === 'building') {
    return (
      <div className={classes.search} role="status">
        <Text>{total > 0 ? t.users.search.progressOf(done, total) : t.users.search.progress}</Text>
        <Text c="dimmed">{t.users.search.progressNext}</Text>
        {/* Before the records are counted, the bar shows no part. */}
        <progress aria-label={t.users.search.index} {...(total > 0 && { value: done, max: total })} />
      </div>
    );
  }
  if (!manage || state === 'dropping') return null;
  const isOn = state === 'ready';
  return (
    <div className={classes.search}>
      <Text>{isOn ? t.users.search.isOn : t.users.search.note}</Text>
      <Button
        variant={isOn ? 'subtle' : 'default'}
        size="compact-sm"
        loading={put.isPending}
        onClick={() => put.mutate(!isOn)}
      >
        {isOn ? t.users.search.disable : t.users.search.enable}
      </Button>
      <Problem error={put.error} />
    </div>
  );
}
