import { Unavailable } from '../../core/errors.ts';
import type { UserCollection } from '../../users/users.model.ts';
import { type Entry, writeBatch } from './bulk-write.ts';
import type { RecordWriter } from './record-writer.ts';

/**
 * So many batches may be on the wire at once. A further one goes out beside others only when it is worth its price, because two small batches cost the database more than one of both
 * (docs/performance.md): when as many wait as are on the wire, or one has waited so long that what it waits for may be stuck.
 */
const MAX_IN_FLIGHT = 3;
const MIN_CONCURRENT_BATCH = 8;
const MAX_WAIT_MS = 25;
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** What may wait. More than this is a database that does not keep up, and waiting longer would help nobody. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * A batch gives its place on the wire up after this long, when every request in it was answered 503 already (http/deadline.ts). A connection that never answers
 * again would hold it for as long as the driver waits for a socket, and three of them all submissions. It is the same for what waited so long before it went out.
 */
const BATCH_TIMEOUT_MS = 3_000;

interface Waiting extends Entry {
  bytes: number;
  /** When it began to wait, on this process's monotonic clock. */
  since: number;
}

/**
 * Group commit: while a batch is on the wire, writes queue, and the next one takes the whole queue as unordered bulk writes. Nothing lingers: on an idle service
 * a write goes out at once. Each entry stays atomic and fails for itself alone; the driver can send a batch again after a network error, because a bulk write
 * carries a transaction number (a raw command does not, and a resent `$push` would be applied twice); docs/performance.md has the figures.
 *
 * @param alone writes a batch of one, in one round trip instead of two
 */
export function createGroupCommit(users: UserCollection, alone: RecordWriter): RecordWriter {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let inFlight = 0;
  let inFlightWrites = 0;
  let scheduled = false;
  let patience: NodeJS.Timeout | undefined;

  function flush(): void {
    scheduled = false;
    clearTimeout(patience);
    patience = undefined;
    rejectExpired();
    while (canFlush()) {
      void commit(takeBatch());
    }
    scheduleFlush();
  }

  /** Looks again when the patience of what waits beside a batch on the wire is over. */
  function scheduleFlush(): void {
    if (waiting.length === 0 || inFlight >= MAX_IN_FLIGHT) return;
    patience ??= setTimeout(flush, MAX_WAIT_MS);
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

  /** Refuses what has waited too long: nobody waits for its answer any more, and its sender may have sent it again. */
  function rejectExpired(): void {
    const oldest = performance.now() - BATCH_TIMEOUT_MS;
    const young = waiting.findIndex(({ since }) => since >= oldest);
    const old = waiting.splice(0, young === -1 ? waiting.length : young);
    for (const entry of old) {
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
    inFlight += 1;
    inFlightWrites += batch.length;
    try {
      await givingUp(send(batch));
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
    if (only && batch.length === 1) only.resolve(await alone.write(only.write));
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
        // After the sockets that are readable now were read: requests that came together are written together.
        scheduled = true;
        setImmediate(flush);
      });
    },
  };
}

/** Resolves like `writing`. @throws {Unavailable} when that takes too long; what it comes to after that settles nothing any more. */
async function givingUp(writing: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Unavailable()), BATCH_TIMEOUT_MS);
  });
  try {
    await Promise.race([writing, late]);
  } finally {
    clearTimeout(timer);
  }
}
