import type { Worker } from 'node:cluster';
import { withTimeout } from '../../platform/core/timeouts.ts';
import {
  type MetricsRegistry,
  type MetricsSnapshot,
  mergeSnapshots,
  toText,
  totalsOf,
} from '../../platform/metrics/metrics.ts';
import { sendTo } from './worker-pool.ts';

/** A stopped or busy worker must not prevent the metrics of the others. */
const COLLECT_WITHIN_MS = 1_000;

/**
 * The metrics of a server: those of its first process and its workers, added up. Totals do not fall
 * when a worker ends, except by what it counted after they were read last.
 *
 * @param own undefined: nothing is measured
 */
export function createMetricsOfWorkers(own: MetricsRegistry | undefined, serving: () => ReadonlySet<Worker>) {
  const latest = new Map<Worker, MetricsSnapshot>();
  /** The totals of workers that have ended. */
  let ended: Promise<MetricsSnapshot> = Promise.resolve([]);
  const waiting = new Map<Worker, () => void>();
  let reading: Promise<string> | undefined;

  /** Asks a worker for its metrics; resolves when it has answered, or not in time. */
  function collect(worker: Worker): Promise<void> {
    const answered = new Promise<void>((resolve) => waiting.set(worker, resolve));
    sendTo(worker, { collect: true });
    return withTimeout(answered, COLLECT_WITHIN_MS, () => new Error('no answer')).catch(() => undefined);
  }

  async function readAll(registry: MetricsRegistry): Promise<string> {
    await Promise.all([...serving()].map(collect));
    // One turn: what a worker's end adds to `ended` leaves `latest` at the same time.
    const parts = [ended, registry.snapshot(), ...latest.values()];
    return toText(await mergeSnapshots(await Promise.all(parts)));
  }

  return {
    note(worker: Worker, snapshot: MetricsSnapshot): void {
      if (serving().has(worker)) latest.set(worker, snapshot);
      waiting.get(worker)?.();
    },

    end(worker: Worker): void {
      const last = latest.get(worker);
      latest.delete(worker);
      waiting.get(worker)?.();
      waiting.delete(worker);
      if (last) ended = ended.then((totals) => mergeSnapshots([totals, totalsOf(last)]));
    },

    /** Resolves with the metrics as text. Reads at the same time share one collection. */
    read(): Promise<string> {
      if (!own) return Promise.reject(new Error('nothing is measured'));
      reading ??= readAll(own).finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}
