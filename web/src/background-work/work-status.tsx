import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
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

const isUnderWay = ({ state }: Index): boolean => state !== 'ready';

/** Tells how far the indexes are that are being built or dropped. */
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
            {state === 'building' ? 'Building' : 'Dropping'} the index of {nameOf(key)}: {done.toLocaleString()} of{' '}
            {total.toLocaleString()} users
          </Text>
          <progress aria-label={`Index of ${nameOf(key)}`} value={done} max={Math.max(1, total)} />
        </li>
      ))}
    </ul>
  );
}
