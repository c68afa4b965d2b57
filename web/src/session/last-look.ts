import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { cachedIdentity } from './session.ts';

/**
 * The newest time that this account saw in a list of an app before this visit, in this browser;
 * undefined: it never looked. What is later stays marked until the page is left.
 *
 * @param newest the newest time that the page shows; undefined while it is not the whole list
 */
export function useLastLook(list: string, sourceAppId: string, newest: string | undefined): string | undefined {
  const client = useQueryClient();
  const key = `${list} of ${sourceAppId} for ${cachedIdentity(client) ?? ''}`;
  const [lastLook] = useState(() => localStorage.getItem(key) ?? undefined);
  useEffect(() => {
    if (newest !== undefined && newest > (localStorage.getItem(key) ?? '')) localStorage.setItem(key, newest);
  }, [key, newest]);
  return lastLook;
}
