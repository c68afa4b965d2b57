import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import pLimit from 'p-limit';
import { FairQueue } from '../core/fair-queue.ts';

/**
 * Queries in progress that operators cause, in the process and for one app. A scan reads thousands
 * of records or keys, and the database needs its processors for submissions too; a page is small.
 * Figures are in docs/performance.md.
 */
export const QUERIES = {
  scan: { slots: 3, perKey: 2 },
  /** The scans and steps of exports and erasures, which leave the other scans to short reads. */
  longScan: { slots: 2, perKey: 1 },
  page: { slots: 8, perKey: 6 },
} as const;

/** Undefined: all apps. */
type AppId = ObjectId | undefined;

type Run = <T>(appId: AppId, query: () => Promise<T>) => Promise<T>;

/** The queues in which the queries of operators' reads wait; each app has a fair share. */
export interface ReadQueues {
  scan: Run;
  longScan: Run;
  page: Run;
  /**
   * Resolves in a later turn of the event loop, for one waiting reader per turn. Readers await it
   * before they process a page, so that other requests are answered in between.
   */
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
