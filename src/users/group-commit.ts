import { mongo } from 'mongoose';
import { Unavailable } from '../errors.ts';
import type { RecordWriter } from './record-writer.ts';
import type { Upsert, Written } from './submission.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/**
 * So many batches may be on the wire at once, but a further one goes out beside others only when so many wait for it: two small batches cost the database more than one of
 * both, and where processors are the limit that costs everybody (docs/performance.md).
 */
const MAX_IN_FLIGHT = 3;
const WORTH_ANOTHER = 64;
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** What may wait. More than this is a database that does not keep up, and waiting longer would help nobody. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * A batch gives its place on the wire up after this long, when every request in it was answered 503 already (http/deadline.ts). A connection that never answers
 * again would hold it for as long as the driver waits for a socket, and three of them all submissions. It is the same for what waited so long before it went out.
 */
const GIVE_UP_AFTER_MS = 3_000;

interface Entry {
  upsert: Upsert;
  bytes: number;
  /** When it began to wait, on this process's monotonic clock. */
  since: number;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/**
 * Group commit: while a batch is on the wire, upserts queue, and the next one takes the whole queue as one unordered bulk write. Nothing lingers: on an idle service
 * an upsert goes out at once. Each entry stays one atomic upsert and fails for itself alone; the driver can send a batch again after a network error, because a bulk write
 * carries a transaction number (a raw command does not, and a resent `$push` would be applied twice). DESIGN section 5, point 1.
 *
 * @param alone writes a batch of one, in one round trip instead of two
 */
export function createGroupCommit(users: UserCollection, alone: RecordWriter): RecordWriter {
  let waiting: Entry[] = [];
  let waitingBytes = 0;
  let inFlight = 0;
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    refuseOld();
    while (mayGo()) {
      inFlight += 1;
      void commit(takeBatch());
    }
  }

  function mayGo(): boolean {
    if (inFlight === 0) return waiting.length > 0;
    return inFlight < MAX_IN_FLIGHT && waiting.length >= WORTH_ANOTHER;
  }

  /** Refuses what has waited too long: nobody waits for its answer any more, and its sender may have sent it again. */
  function refuseOld(): void {
    const oldest = performance.now() - GIVE_UP_AFTER_MS;
    const young = waiting.findIndex(({ since }) => since >= oldest);
    const old = waiting.splice(0, young === -1 ? waiting.length : young);
    for (const entry of old) {
      waitingBytes -= entry.bytes;
      entry.reject(new Unavailable());
    }
  }

  function takeBatch(): Entry[] {
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
    try {
      await givingUp(write(batch));
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      inFlight -= 1;
      flush();
    }
  }

  async function write(batch: Entry[]): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) only.resolve(await alone.upsert(only.upsert));
    else await writeBatch(users, batch);
  }

  return {
    upsert(upsert) {
      const bytes = mongo.BSON.calculateObjectSize(upsert.update);
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) {
        return Promise.reject(new Unavailable('Too many submissions at once; try again shortly', 1));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ upsert, bytes, since: performance.now(), resolve, reject });
        waitingBytes += bytes;
        if (scheduled || !mayGo()) return;
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
    timer = setTimeout(() => fail(new Unavailable()), GIVE_UP_AFTER_MS);
  });
  try {
    await Promise.race([writing, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes a batch and settles its entries. Throws when nothing is known of any of them: then the whole batch failed. */
async function writeBatch(users: UserCollection, batch: Entry[]): Promise<void> {
  const { created, failed } = await bulkUpsert(users, batch);
  const changed: Entry[] = [];
  for (const [index, entry] of batch.entries()) {
    const error = failed.get(index);
    const written = created.has(index) ? entry.upsert.creation : entry.upsert.known;
    if (error) entry.reject(error);
    else if (written) entry.resolve(written);
    else changed.push(entry);
  }
  if (changed.length > 0) await answerChanged(users, changed);
}

async function bulkUpsert(users: UserCollection, batch: Entry[]) {
  const operations = batch.map(({ upsert: { filter, update } }) => ({ updateOne: { filter, update, upsert: true } }));
  try {
    const { upsertedIds } = await users.bulkWrite(operations, { ordered: false });
    return { created: indexes(upsertedIds), failed: new Map<number, Error>() };
  } catch (error) {
    const failures = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
    // The driver wraps what ended a whole batch, and drops its kind: without a code it was the way to the server.
    if (!(error instanceof mongo.MongoBulkWriteError) || (failures.length === 0 && error.code !== undefined))
      throw error;
    // Without the write concern nothing of the batch is known to be durable.
    if (failures.length === 0 || error.result.getWriteConcernError()) throw new Unavailable();
    return {
      created: indexes(error.upsertedIds),
      failed: new Map(failures.map((failure) => [failure.index, toError(failure)])),
    };
  }
}

function indexes(upserted: Record<number, unknown>): Set<number> {
  return new Set(Object.keys(upserted).map(Number));
}

function toError({ code, errmsg = 'write error' }: mongo.WriteError): Error {
  return new mongo.MongoServerError({ message: errmsg, code });
}

/** A bulk write does not tell which records it changed: one look answers for all that were not known before. */
async function answerChanged(users: UserCollection, changed: Entry[]): Promise<void> {
  const byApp = new Map<string, Entry[]>();
  for (const entry of changed) {
    const app = entry.upsert.appId.toHexString();
    const ofApp = byApp.get(app);
    if (ofApp) ofApp.push(entry);
    else byApp.set(app, [entry]);
  }
  const filters = [...byApp.values()].map(recordsOf);
  const [only = {}] = filters;
  const records = users.find(filters.length === 1 ? only : { $or: filters }, {
    projection: { appId: 1, email: 1, createdAt: 1 },
  });

  const found = new Map<string, Written>();
  for await (const record of records) found.set(nameOf(record), { id: record._id, createdAt: record.createdAt });
  for (const { upsert, resolve, reject } of changed) {
    const written = found.get(nameOf(upsert));
    if (written) resolve(written);
    else reject(new Unavailable('The record was erased while it was written; send it again', 1));
  }
}

/** All of one app. */
function recordsOf(entries: Entry[]): mongo.Filter<UserDocument> {
  const [first] = entries;
  return { ...(first && { appId: first.upsert.appId }), email: { $in: entries.map(({ upsert }) => upsert.email) } };
}

function nameOf({ appId, email }: Pick<UserDocument, 'appId' | 'email'>): string {
  return `${appId.toHexString()} ${email}`;
}
