import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import classes from './index-status.module.css';
import { scopedSchemaQuery } from './queries.ts';
import type { Scope } from './scope.ts';

const POLL_INTERVAL_MS = 3_000;

type Index = ResponseBody<'GET /auth/apps/:sourceAppId/indexes'>[number];

const indexesQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['indexes', sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/indexes', { params: { sourceAppId }, signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_INTERVAL_MS : false),
  });

const WORK: Record<Index['state'], string> = {
  building: 'Building the index',
  ready: '',
  dropping: 'Dropping the index',
  renaming: 'Moving the values',
};

const isUnderWay = ({ state }: Index): boolean => state !== 'ready';

/**
 * Tells how far the indexes are that are being built or dropped, and the fields whose values move
 * to a new key.
 */
export function IndexStatus({ scope: { sourceAppId }, scope }: { scope: Scope }) {
  const { data } = useQuery(indexesQuery(sourceAppId));
  const schema = useQuery(scopedSchemaQuery(scope));
  const underWay = data?.filter(isUnderWay) ?? [];
  if (underWay.length === 0) return null;
  const nameOf = (key: string): string => schema.data?.fields.find((field) => field.key === key)?.label || key;
  return (
    <ul className={classes.indexes} aria-label="Indexes">
      {underWay.map(({ key, state, done, total }) => (
        <li key={`${key} ${state}`} className={classes.index}>
          <Text size="sm">
            {WORK[state]} of {nameOf(key)}
            {total > 0 && `: ${done.toLocaleString()} of ${count(total, 'user')}`}
          </Text>
          {/* Before the records are counted, the bar tells no part. */}
          <progress
            aria-label={`${state === 'renaming' ? 'Values' : 'Index'} of ${nameOf(key)}`}
            {...(total > 0 && { value: done, max: total })}
          />
        </li>
      ))}
    </ul>
  );
}
