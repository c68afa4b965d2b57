import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { cachedIdentity } from '../session/session.ts';

/**
 * When this account last looked at the inbox of an app in this browser; undefined: never. Arrivals
 * stay marked until the page is left.
 */
export function useLastLook(sourceAppId: string): { lastLook: string | undefined; look: (newest: string) => void } {
  const client = useQueryClient();
  const key = `inbox of ${sourceAppId} for ${cachedIdentity(client) ?? ''}`;
  const [lastLook] = useState(() => localStorage.getItem(key) ?? undefined);
  return { lastLook, look: (newest) => localStorage.setItem(key, newest) };
}
