import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import { FairQueue } from '../../platform/core/fair-queue.ts';

/** Concurrent queries, in all and per app: submissions need processors (docs/performance.md). */
export const QUERIES = {
  scan: { slots: 3, perKey: 2 },
  /** Scans and steps of exports and erasures, which leave a scan to short reads. */
  longScan: { slots: 2, perKey: 1 },
  page: { slots: 8, perKey: 6 },
} as const;

export type AppId = ObjectId | undefined;

type Run = <T>(appId: AppId, query: () => Promise<T>) => Promise<T>;

/** The queues in which the queries of operators' reads wait; each app has a fair share. */
export interface ReadQueues {
  scan: Run;
  longScan: Run;
  page: Run;
  /** Resolves in a later turn of the event loop, so other requests are answered in between. */
  turn(): Promise<void>;
}

/** Creates the queues of one process. */
export function createReadQueues(): ReadQueues {
  const scans = new FairQueue(QUERIES.scan);
  const longScans = new FairQueue(QUERIES.longScan);
  const pages = new FairQueue(QUERIES.page);
  const turns = pLimit(1);
  const queueKey = (appId: AppId): string => appId?.toHexString() ?? 'all apps';
  const scan: Run = (appId, query) => scans.run(queueKey(appId), query);
  return {
    scan,
    longScan: (appId, query) => longScans.run(queueKey(appId), () => scan(appId, query)),
    page: (appId, query) => pages.run(queueKey(appId), query),
    turn: () => turns(() => nextTurn()),
  };
}
