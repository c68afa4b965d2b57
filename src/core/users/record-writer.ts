import { type AnyBulkWriteOperation, MongoBulkWriteError, MongoServerError, type WriteError } from 'mongodb';
import { Unavailable } from '../../platform/core/errors.ts';
import { createGroupCommit, type Queued } from '../../platform/database/group-commit.ts';
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

type QueuedWrite<Write extends RecordWrite = RecordWrite> = Queued<Write, Written>;

/** Sends writes in batches; each write stays atomic (invariant 3). */
export function createBatchedWriter(users: UserCollection, metrics: Metrics): RecordWriter {
  const single = createRecordWriter(users);
  const observe = metrics.histogram('submission_batch_size', {
    help: 'Writes of submissions in one batch',
    buckets: BATCH_SIZES,
  });
  const { write, queueLength } = createGroupCommit<RecordWrite, Written>(
    async (batch) => {
      observe(batch.length);
      const [only] = batch;
      if (only && batch.length === 1) only.resolve(await single.write(only.write));
      else await writeBatch(users, batch);
    },
    { maxBatch: MAX_BATCH, refusal: () => new Unavailable('submissionsAtOnce', 1) },
  );
  metrics.gauge('submission_queue_length', { help: 'Writes that wait for a batch' }, queueLength);
  return { write };
}

const MAX_BATCH = 500;
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, MAX_BATCH];

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

/**
 * Returns the created records by the index of the entry, and the errors of failed entries. The
 * driver may resend a bulk write, which has a transaction number; with a raw command a resent
 * `$push` would be applied twice.
 */
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
