import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createRecordIds } from '../../../src/records/stored/record-id.ts';
import { appDocument } from '../database/index-slots.ts';
import type { Client } from './client.ts';
import type { TestServer } from './server.ts';

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

const newId = createRecordIds();

/** Stores records of an app, `p0@x.org` and so on, without submissions. */
export async function storePeople(
  server: TestServer,
  sourceAppId: string,
  count: number,
  dataOf: (n: number) => object,
): Promise<void> {
  const { _id: appId } = await appDocument(server, sourceAppId);
  const at = new Date();
  const records = Array.from({ length: count }, (_, n) => ({
    _id: newId(at),
    appId,
    sourceAppId,
    email: `p${n}@x.org`,
    data: dataOf(n),
    schemaVersion: 1,
    createdAt: at,
    updatedAt: at,
  }));
  await server.db.collection<(typeof records)[number]>('users').insertMany(records);
}
