import { setTimeout as sleep } from 'node:timers/promises';
import type { TestServer } from '../server/server.ts';

/** Resolves when MongoDB's clock has passed a time. */
export async function untilDatabaseTime({ db }: TestServer, time: number): Promise<void> {
  while ((await db.command({ hello: 1 })).localTime.getTime() <= time) await sleep(100);
}
