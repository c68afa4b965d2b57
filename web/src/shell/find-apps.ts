import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { endpointQuery } from '../api/queries.ts';
import { appsOf, type OwnApp } from '../session/current-app.ts';
import type { Session } from '../session/session.ts';

const DEBOUNCE_MS = 150;
const MAX_APPS = 20;

export type NamedApp = Pick<OwnApp, 'sourceAppId' | 'name'>;

/** The apps whose id or name has the text: those of the session, or of the service for an admin. */
export function useApps(session: Session, text: string, isEnabled = true) {
  const isAdmin = session.role === 'admin';
  const [q] = useDebouncedValue(text, DEBOUNCE_MS);
  const listed = useQuery({
    ...endpointQuery(['apps', 'palette', q], 'GET /auth/apps', { query: { q, limit: MAX_APPS } }),
    enabled: isAdmin && isEnabled,
    placeholderData: keepPreviousData,
  });
  const own = appsOf(session).filter(({ sourceAppId, name = '' }) =>
    `${sourceAppId} ${name}`.toLowerCase().includes(text.toLowerCase()),
  );
  const found: readonly NamedApp[] = isAdmin ? (listed.data?.apps ?? []) : own;
  return {
    found,
    isLoading: isAdmin && (q !== text || listed.isFetching),
    hasMore: isAdmin && listed.data?.next !== undefined,
    error: listed.error,
  };
}
