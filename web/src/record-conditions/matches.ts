import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Conditions } from '#src/core/fields/conditions.ts';
import { call, issuesOf } from '../api/call.ts';
import { reasonText } from '../texts/reasons.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

const DEBOUNCE_MS = 400;
const FRESH_MS = 60_000;

/** Tries conditions on the newest records, when nobody changes them for a moment. */
export function useMatches(scope: Scope, conditions: Conditions | undefined) {
  const [asked] = useDebouncedValue(conditions && JSON.stringify(conditions), DEBOUNCE_MS);
  const { data, error } = useQuery({
    queryKey: ['condition-matches', scope.sourceAppId, asked],
    queryFn: ({ signal }) =>
      call('POST /auth/conditions/test', {
        query: scopeParameter(scope),
        body: { if: JSON.parse(asked ?? '{}') },
        signal,
      }),
    enabled: asked !== undefined,
    staleTime: FRESH_MS,
    retry: false,
  });
  const isOfThese = conditions !== undefined && asked === JSON.stringify(conditions);
  const issues = isOfThese ? issuesOf(error) : [];
  return {
    /** Undefined until it is known. */
    matches: isOfThese ? data : undefined,
    /** Why the service would refuse the conditions, by paths such as `if.all.0.value`. */
    problems: Object.fromEntries(issues.map((issue) => [issue.path, reasonText(issue)])),
  };
}
