import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Client } from './client.ts';

interface Counts {
  done: number;
  changed: number;
  refused: number;
  errors: { id: string; message: string }[];
}

/** A change of many users, as the service answers it. */
interface ChangeAnswer extends Counts {
  id: string;
  state: string;
  total: number;
  undo?: Counts;
}

const ENDED = ['completed', 'stopped', 'undone', 'failed'];

/** Resolves with the state of a change when it has ended. */
export async function untilChange(
  client: Client,
  sourceAppId: string,
  id: string,
  isReached: (change: ChangeAnswer) => boolean = ({ state }) => ENDED.includes(state),
): Promise<ChangeAnswer> {
  for (;;) {
    const { status, body } = await client.get(`/auth/changes/${id}?sourceAppId=${sourceAppId}`);
    // A busy machine answers 503 at times.
    expect([200, 503]).toContain(status);
    if (status === 200 && isReached(body)) return body;
    await sleep(20);
  }
}

/** Begins a change of the matching users; resolves with its id. */
export async function beginChange(
  client: Client,
  sourceAppId: string,
  confirm: number,
  change: object,
  where = 'email:contains:@',
): Promise<string> {
  const query = new URLSearchParams({ sourceAppId, where, confirm: String(confirm) });
  const { body } = await client.patch(`/auth/users?${query}`, change).expect(200);
  return body.id;
}
