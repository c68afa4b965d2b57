import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ResponseBody } from '../api/endpoints.ts';
import { schemaVersionsQuery } from '../apps/queries.ts';

const POLL_INTERVAL_MS = 2_000;
/** The interval while nothing is in progress. */
const IDLE_POLL_INTERVAL_MS = 15_000;

/** An index, or a renamed field whose values are being moved. */
export type Work = ResponseBody<'GET /auth/apps/:sourceAppId/indexes'>[number];

/** The indexes of an app and its renames in progress. */
export const workQuery = (sourceAppId: string) =>
  queryOptions({
    queryKey: ['indexes', sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/indexes', { params: { sourceAppId }, signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS),
  });

export const isUnderWay = ({ state }: Work): boolean => state !== 'ready';

export interface Renaming {
  /** The old key; undefined while it is not known. Only admins can read it. */
  from: string | undefined;
  to: string;
}

/** The renames of an app whose values are being moved. */
export function useRenaming({ sourceAppId, asAdmin }: { sourceAppId: string; asAdmin: boolean }): Renaming[] {
  const { data: work = [] } = useQuery(workQuery(sourceAppId));
  const renamed = work.filter(({ state }) => state === 'renaming');
  const versions = useQuery({ ...schemaVersionsQuery(sourceAppId), enabled: asAdmin && renamed.length > 0 });
  const renames = versions.data?.versions.flatMap((version) => version.renames ?? []);
  return renamed.map(({ key }) => ({ from: renames?.find(({ to }) => to === key)?.from, to: key }));
}
