import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { type Scope, scopeParameter } from '../users/scope.ts';

/**
 * The newest time that the account saw in a list of an app before this visit; empty: it never
 * looked; undefined: the time is still being read.
 *
 * @param newest the newest time that the page shows; undefined while it is not the whole list
 */
export function useLastLook(list: 'users' | 'inbox', scope: Scope, newest: string | undefined): string | undefined {
  const query = scopeParameter(scope);
  const { data, isFetchedAfterMount } = useQuery({
    queryKey: ['looks', scope.sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/looks', { query, signal }),
    // Each visit reads the time once.
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { mutate } = useMutation({
    mutationFn: (at: string) => call('PUT /auth/looks', { query, body: { list, at } }),
  });
  const [looked, setLooked] = useState<{ at: string | undefined }>();
  if (isFetchedAfterMount && data && !looked) setLooked({ at: data[list] });
  const isLater = looked !== undefined && newest !== undefined && newest > (looked.at ?? '');
  useEffect(() => {
    if (isLater && newest !== undefined) mutate(newest);
  }, [isLater, newest, mutate]);
  return looked && (looked.at ?? '');
}
