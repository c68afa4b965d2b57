import { Loader, Text } from '@mantine/core';
import { call, hasStatus, issueAt } from '../api/call.ts';
import { t } from '../texts/texts.ts';

export function Counting() {
  return (
    <Text role="status">
      <Loader size={14} mr="xs" aria-hidden="true" /> {t.users.countingMatches}
    </Text>
  );
}

/** Counts without a limit of time: the refusal of the erasure of 0 users names the number. */
export async function countMatches(query: object, signal: AbortSignal): Promise<number> {
  try {
    await call('DELETE /auth/users', { query: { ...query, confirm: 0 }, signal });
    return 0;
  } catch (error) {
    const matches = matchesOf(error);
    if (matches === undefined) throw error;
    return matches;
  }
}

/** The number of matches that a 409 names. */
export function matchesOf(error: unknown): number | undefined {
  if (!hasStatus(error, 409)) return undefined;
  const matches = Number(/\d+/.exec(issueAt(error, 'confirm') ?? '')?.[0]);
  return Number.isFinite(matches) ? matches : undefined;
}
