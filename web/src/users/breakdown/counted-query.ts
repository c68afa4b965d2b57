import { queryOptions } from '@tanstack/react-query';
import { conditionText } from '../filters/condition.ts';
import type { UserFilter } from '../list/list-parameters.ts';
import { countUsers } from '../list/use-user-count.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import type { Breakdown } from './bars.ts';
import { countedBreakdown } from './counted.ts';

/** The complete form of a partial breakdown; null without time for it. */
export const countedBreakdownQuery = (
  scope: Scope,
  { q, where }: UserFilter,
  breakdown: Breakdown | undefined,
  path: string,
) =>
  queryOptions({
    queryKey: ['users', 'breakdown', 'counted', scopeParameter(scope), { q, where }, breakdown],
    queryFn: async ({ signal }): Promise<Breakdown | null> => {
      if (!breakdown) return null;
      const counted = await countedBreakdown(breakdown, path, async (conditions) => {
        const all = [...where, ...conditions.map(conditionText)];
        const { total, is } = await countUsers(scope, { q, where: all }, 'exact', signal);
        return is === 'exact' ? total : undefined;
      });
      return counted ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
