import { type AnyBulkWriteOperation, MongoBulkWriteError, MongoServerError, type WriteError } from 'mongodb';
import { Unavailable } from '../../platform/core/errors.ts';
import { withTimeout } from '../../platform/core/timeouts.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Insert, Upsert } from './record-upsert.ts';
import type { Written } from './submission.ts';
import { byAppAndEmail, type UserCollection, type UserDocument } from './users.model.ts';

type RecordWrite = Insert | Upsert;

/**
 * Sends the writes of submissions. A resolved write is durable (invariant 1); a rejected one has
 * the driver's error for this write, independent of the other writes of its batch.
 */
export interface RecordWriter {
  write(write: RecordWrite): Promise<Written>;
}

/** Sends each write as its own command, in one round trip. */
export function createRecordWriter(users: UserCollection): RecordWriter {
  return {
    async write(write) {
      if (write.kind === 'insert') {
        await users.insertOne(write.record);
        return write.creation;
      }
      const options = { upsert: true, returnDocument: 'after', projection: { createdAt: 1 } } as const;
      const record = await users.findOneAndUpdate(write.filter, write.update, options);
      if (!record) throw new Error('an upsert returned no record');
      return { id: record._id, createdAt: record.createdAt };
    },
  };
}

interface QueuedWrite<Write extends RecordWrite = RecordWrite> {
  write: Write;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/**
 * Settles each entry; never rejects. {@link Unavailable}: unknown whether the write is durable.
 * Inserts and upserts are concurrent commands; one bulk write would run them in sequence.
 */
async function writeBatch(users: UserCollection, batch: readonly QueuedWrite[]): Promise<void> {
  const inserts = batch.filter(({ write }) => write.kind === 'insert');
  const upserts = batch.filter(({ write }) => write.kind === 'upsert');
  await Promise.all([writeAll(users, inserts), writeAll(users, upserts)]);
}

async function writeAll(users: UserCollection, entries: readonly QueuedWrite[]): Promise<void> {
  if (entries.length === 0) return;
  try {
    const { created, failed } = await bulkWrite(users, entries);
    const changed: QueuedWrite<Upsert>[] = [];
    for (const [index, { write, resolve, reject }] of entries.entries()) {
      const error = failed.get(index);
      if (error) reject(error);
      else if (write.kind === 'insert' || index in created) resolve(write.creation);
      else if (write.known) resolve(write.known);
      else changed.push({ write, resolve, reject });
    }
    if (changed.length > 0) await resolveChanged(users, changed);
  } catch (error) {
    for (const entry of entries) entry.reject(error);
  }
}

/** Returns the created records by the index of the entry, and the errors of failed entries. */
async function bulkWrite(users: UserCollection, entries: readonly QueuedWrite[]) {
  try {
    const { upsertedIds } = await users.bulkWrite(entries.map(toOperation), { ordered: false });
    return { created: upsertedIds, failed: new Map<number, Error>() };
  } catch (error) {
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (!(error instanceof MongoBulkWriteError) || failures.length === 0) throw error;
    // Without the write concern no write of the batch is known to be durable.
    if (error.result.getWriteConcernError()) throw new Unavailable();
    return {
      created: error.upsertedIds,
      failed: new Map(failures.map((failure) => [failure.index, toError(failure)])),
    };
  }
}

function toOperation({ write }: QueuedWrite): AnyBulkWriteOperation<UserDocument> {
  if (write.kind === 'insert') return { insertOne: { document: write.record } };
  return { updateOne: { filter: write.filter, update: write.update, upsert: true } };
}

function toError({ code, errmsg = 'write error' }: WriteError): Error {
  return new MongoServerError({ message: errmsg, code });
}

/** Reads the records of these upserts, because a bulk write does not return what it changed. */
async function resolveChanged(users: UserCollection, changed: QueuedWrite<Upsert>[]): Promise<void> {
  const filters = byAppAndEmail(changed.map(({ write }) => write));
  const [first = {}] = filters;
  const records = users.find(filters.length === 1 ? first : { $or: filters }, {
    projection: { appId: 1, email: 1, createdAt: 1 },
  });
  const found = new Map<string, Written>();
  for await (const record of records) found.set(emailKey(record), { id: record._id, createdAt: record.createdAt });
  for (const { write, resolve, reject } of changed) {
    const written = found.get(emailKey(write));
    if (written) resolve(written);
    else reject(new Unavailable('recordErased', 1));
  }
}

function emailKey({ appId, email }: Pick<UserDocument, 'appId' | 'email'>): string {
  return `${appId.toHexString()} ${email}`;
}

/**
 * Two small concurrent batches cost the database more than one (decision 36), so a second one is
 * large (`MIN_CONCURRENT_BATCH`) or late (`MAX_WAIT_MS`): the batch in flight may be stuck.
 */
const MAX_IN_FLIGHT = 3;
const MIN_CONCURRENT_BATCH = 8;
const MAX_WAIT_MS = 25;
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, MAX_BATCH];

/** A longer queue means that the database is too slow. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * By then the requests were answered 503 (platform/http/deadline.ts). Without this limit,
 * `MAX_IN_FLIGHT` connections that never answer block all submissions until the driver's socket
 * timeout.
 */
const BATCH_TIMEOUT_MS = 3_000;

interface Waiting extends QueuedWrite {
  /** In milliseconds of `performance.now()`. */
  since: number;
}

/**
 * Group commit: while a batch is in flight, writes queue for the next one (decision 36). Each write
 * stays atomic and fails alone (invariant 3). The driver may resend a bulk write, which has a
 * transaction number; with a raw command a resent `$push` would be applied twice. `write` rejects
 * with {@link Unavailable} when the queue is full or the batch timed out.
 */
export function createGroupCommit(users: UserCollection, metrics: Metrics): RecordWriter {
  const single = createRecordWriter(users);
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

  function takeBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { write } of waiting) {
      if (count >= MAX_BATCH || (count > 0 && bytes + write.bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      bytes += write.bytes;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingBytes -= bytes;
    return batch;
  }

  async function commit(batch: QueuedWrite[]): Promise<void> {
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

  async function send(batch: QueuedWrite[]): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) only.resolve(await single.write(only.write));
    else await writeBatch(users, batch);
  }

  return {
    write(write) {
      const { bytes } = write;
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
        return Promise.reject(new Unavailable('submissionsAtOnce', 1));
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
