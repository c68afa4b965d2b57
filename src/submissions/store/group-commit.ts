import { Unavailable } from '../../core/errors.ts';
import { withTimeout } from '../../core/timeouts.ts';
import { type Metrics, NO_METRICS } from '../../metrics/metrics.ts';
import type { UserCollection } from '../../users/users.model.ts';
import { type Entry, writeBatch } from './bulk-write.ts';
import type { RecordWriter } from './record-writer.ts';

/**
 * The number of batches in flight at the same time. Two small concurrent batches cost the database
 * more than one batch of both (docs/performance.md). So a concurrent batch is sent only when at
 * least `MIN_CONCURRENT_BATCH` writes wait, and as many as are in flight, or when the oldest write
 * has waited for `MAX_WAIT_MS`, because the batch in flight may be stuck.
 */
const MAX_IN_FLIGHT = 3;
const MIN_CONCURRENT_BATCH = 8;
const MAX_WAIT_MS = 25;
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** The buckets of the metric of batch sizes. */
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, MAX_BATCH];

/** The bounds of the queue. A longer queue means that the database does not keep up. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * A batch without an answer fails after this time, and so does a write that has waited as long in
 * the queue. Every request in it was answered 503 before (api/deadline.ts). Without this limit a
 * connection that never answers keeps its batch in flight until the driver's socket timeout, and
 * `MAX_IN_FLIGHT` such connections block all submissions.
 */
const BATCH_TIMEOUT_MS = 3_000;

interface Waiting extends Entry {
  bytes: number;
  /** When it was queued, in milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Group commit: writes queue while a batch is in flight, and the next batch takes the whole queue
 * as unordered bulk writes. On an idle service a write is sent at once. Each write stays atomic and
 * fails alone (invariant 3). The driver may resend a batch after a network error, because a bulk
 * write carries a transaction number; a raw command does not, so a resent `$push` would be applied
 * twice. Figures are in docs/performance.md.
 *
 * `write` rejects with {@link Unavailable} when the queue is full or the batch timed out.
 *
 * @param single writes a batch of one in one round trip instead of two
 */
export function createGroupCommit(
  users: UserCollection,
  single: RecordWriter,
  metrics: Metrics = NO_METRICS,
): RecordWriter {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let inFlight = 0;
  let inFlightWrites = 0;
  let scheduled = false;
  let flushTimer: NodeJS.Timeout | undefined;
  const observeBatch = metrics.histogram('submission_batch_size', {
    help: 'Writes of submissions in one batch',
    buckets: BATCH_SIZES,
  });
  metrics.gauge('submission_queue_length', { help: 'Writes that wait for a batch' }, () => waiting.length);

  function flush(): void {
    scheduled = false;
    clearTimeout(flushTimer);
    flushTimer = undefined;
    rejectExpired();
    while (canFlush()) {
      void commit(takeBatch());
    }
    scheduleFlush();
  }

  /** Schedules the concurrent batch of the writes that wait beside a batch in flight. */
  function scheduleFlush(): void {
    if (waiting.length === 0 || inFlight >= MAX_IN_FLIGHT) return;
    flushTimer ??= setTimeout(flush, MAX_WAIT_MS);
  }

  function canFlush(): boolean {
    if (inFlight === 0) return waiting.length > 0;
    const [oldest] = waiting;
    if (!oldest || inFlight >= MAX_IN_FLIGHT) return false;
    return (
      waiting.length >= Math.max(MIN_CONCURRENT_BATCH, inFlightWrites) ||
      performance.now() - oldest.since >= MAX_WAIT_MS
    );
  }

  /**
   * Rejects writes whose requests were answered already: their clients may have sent them again.
   */
  function rejectExpired(): void {
    const limit = performance.now() - BATCH_TIMEOUT_MS;
    const firstValid = waiting.findIndex(({ since }) => since >= limit);
    const expired = waiting.splice(0, firstValid === -1 ? waiting.length : firstValid);
    for (const entry of expired) {
      waitingBytes -= entry.bytes;
      entry.reject(new Unavailable());
    }
  }

  function takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const entry of waiting) {
      if (count >= MAX_BATCH || (count > 0 && bytes + entry.bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      bytes += entry.bytes;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return batch;
  }

  async function commit(batch: Entry[]): Promise<void> {
    observeBatch(batch.length);
    inFlight += 1;
    inFlightWrites += batch.length;
    try {
      await withTimeout(send(batch), BATCH_TIMEOUT_MS, () => new Unavailable());
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      inFlight -= 1;
      inFlightWrites -= batch.length;
      flush();
    }
  }

  async function send(batch: Entry[]): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) only.resolve(await single.write(only.write));
    else await writeBatch(users, batch);
  }

  return {
    write(write) {
      const { bytes } = write;
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
        return Promise.reject(new Unavailable('Too many submissions at once; try again shortly', 1));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ write, bytes, since: performance.now(), resolve, reject });
        waitingBytes += bytes;
        if (scheduled) return;
        if (!canFlush()) return scheduleFlush();
        // All sockets that are readable now are read first, so concurrent requests share a batch.
        scheduled = true;
        setImmediate(flush);
      });
    },
  };
}
