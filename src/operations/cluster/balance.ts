import type { Worker } from 'node:cluster';
import { sendTo } from './worker-pool.ts';

/** A worker keeps connections up to its share times this factor, plus this number. */
const TOLERATED_FACTOR = 1.25;
const TOLERATED_MORE = 4;

/** How many connections a worker with `own` of `total` ends when `workers` serve. */
export function countToEnd(own: number, total: number, workers: number): number {
  const share = total / workers;
  if (own <= share * TOLERATED_FACTOR + TOLERATED_MORE) return 0;
  // Half: the kernel may give some of them to the same worker again.
  return Math.ceil((own - share) / 2);
}

/**
 * Evens out the connections of the workers (decision 40). The kernel gives a connection to the
 * worker that accepts first, and the connections of a proxy live for hours. A worker that has many
 * more than its share ends some with their next answer, so that their clients connect again.
 */
export function createBalance(serving: () => ReadonlySet<Worker>) {
  const counts = new WeakMap<Worker, number>();
  return {
    /** Notes the open connections of a worker, and tells it how many to end. */
    note(worker: Worker, connections: number): void {
      counts.set(worker, connections);
      const workers = serving();
      // The last report of a worker may arrive after its end.
      if (!workers.has(worker)) return;
      const total = [...workers].reduce((sum, other) => sum + (counts.get(other) ?? 0), 0);
      const count = countToEnd(connections, total, workers.size);
      if (count > 0) sendTo(worker, { endConnections: count });
    },
  };
}
