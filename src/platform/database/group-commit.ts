import { Unavailable } from '../core/errors.ts';
import { withTimeout } from '../core/timeouts.ts';

/** A write that waits for its batch. Its sender settles it. */
export interface Queued<Write, Written> {
  write: Write;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/**
 * Two small concurrent batches cost the database more than one (decision 36), so a second one is
 * large (`MIN_CONCURRENT_BATCH`) or late (`MAX_WAIT_MS`): the batch in flight may be stuck.
 */
const MAX_IN_FLIGHT = 3;
const MIN_CONCURRENT_BATCH = 8;
const MAX_WAIT_MS = 25;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** A longer queue means that the database is too slow. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * By then the requests were answered 503 (platform/http/deadline.ts). Without this limit,
 * `MAX_IN_FLIGHT` connections that never answer block all writes until the driver's socket
 * timeout.
 */
const BATCH_TIMEOUT_MS = 3_000;

interface Waiting<Write, Written> extends Queued<Write, Written> {
  /** In milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Group commit: while a batch is in flight, writes queue for the next one (decision 36). Each write
 * fails alone. `write` rejects with {@link Unavailable} after {@link BATCH_TIMEOUT_MS} in the
 * queue, or in a batch.
 * @param send settles each entry, or rejects for all of them
 * @param options.maxBatch the most writes of a batch
 * @param options.refusal makes the error of `write` when the queue is full
 */
export function createGroupCommit<Write extends { readonly bytes: number }, Written>(
  send: (batch: readonly Queued<Write, Written>[]) => Promise<void>,
  { maxBatch, refusal }: { maxBatch: number; refusal(): Error },
) {
  type Entry = Waiting<Write, Written>;
  let waiting: Entry[] = [];
  let waitingBytes = 0;
  let inFlight = 0;
  let inFlightWrites = 0;
  let scheduled = false;
  let flushTimer: NodeJS.Timeout | undefined;

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

  /** Rejects writes whose requests were answered: their clients may have sent them again. */
  function rejectExpired(): void {
    const limit = performance.now() - BATCH_TIMEOUT_MS;
    const firstValid = waiting.findIndex(({ since }) => since >= limit);
    const expired = waiting.splice(0, firstValid === -1 ? waiting.length : firstValid);
    for (const entry of expired) {
      waitingBytes -= entry.write.bytes;
      entry.reject(new Unavailable());
    }
  }

  function takeBatch(): Entry[] {
    let count = 0;
    let bytes = 0;
    for (const { write } of waiting) {
      if (count >= maxBatch || (count > 0 && bytes + write.bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      bytes += write.bytes;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return batch;
  }

  async function commit(batch: readonly Entry[]): Promise<void> {
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

  return {
    /** The number of writes that wait for a batch. */
    queueLength: (): number => waiting.length,

    /** Settles as `send` settles the write. */
    write(write: Write): Promise<Written> {
      const { bytes } = write;
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
        return Promise.reject(refusal());
      }
      return new Promise((resolve, reject) => {
        waiting.push({ write, since: performance.now(), resolve, reject });
        waitingBytes += bytes;
        if (scheduled) return;
        if (!canFlush()) return scheduleFlush();
        // All readable sockets are read first, so concurrent requests share a batch.
        scheduled = true;
        setImmediate(flush);
      });
    },
  };
}
