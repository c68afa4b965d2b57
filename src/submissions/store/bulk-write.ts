import { mongo } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { UserCollection, UserDocument } from '../../users/users.model.ts';
import type { Upsert } from './record-upsert.ts';
import type { RecordWrite } from './record-writer.ts';
import type { Written } from './submission.ts';

/** One write of a batch with the callbacks of its promise. */
export interface Entry<Write extends RecordWrite = RecordWrite> {
  write: Write;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/**
 * Writes a batch and settles each of its entries; never rejects. An entry rejects with the driver's
 * error for its write, or with {@link Unavailable} when it is unknown whether the batch is durable.
 * Inserts and upserts are sent as two concurrent commands; one bulk write of both would send them
 * one after the other.
 */
export async function writeBatch(users: UserCollection, batch: readonly Entry[]): Promise<void> {
  const inserts = batch.filter(({ write }) => write.kind === 'insert');
  const upserts = batch.filter(isUpsert);
  await Promise.all([
    settle(inserts, (entries) => insertAll(users, entries)),
    settle(upserts, (entries) => upsertAll(users, entries)),
  ]);
}

function isUpsert(entry: Entry): entry is Entry<Upsert> {
  return entry.write.kind === 'upsert';
}

/** Rejects all entries when `work` throws: the result of each is unknown. */
async function settle<Item extends Entry>(entries: Item[], work: (entries: Item[]) => Promise<void>): Promise<void> {
  if (entries.length === 0) return;
  try {
    await work(entries);
  } catch (error) {
    for (const entry of entries) entry.reject(error);
  }
}

async function insertAll(users: UserCollection, entries: readonly Entry[]): Promise<void> {
  const { failed } = await bulkWrite(users, entries);
  for (const [index, { write, resolve, reject }] of entries.entries()) {
    const error = failed.get(index);
    if (error) reject(error);
    else resolve(write.creation);
  }
}

async function upsertAll(users: UserCollection, entries: readonly Entry<Upsert>[]): Promise<void> {
  const { created, failed } = await bulkWrite(users, entries);
  const changed: Entry<Upsert>[] = [];
  for (const [index, entry] of entries.entries()) {
    const error = failed.get(index);
    const written = created.has(index) ? entry.write.creation : entry.write.known;
    if (error) entry.reject(error);
    else if (written) entry.resolve(written);
    else changed.push(entry);
  }
  if (changed.length > 0) await resolveChanged(users, changed);
}

/**
 * @returns by the entry's index: the upserts that created a record, and the error of each failed
 *   entry
 */
async function bulkWrite(users: UserCollection, entries: readonly Entry[]) {
  try {
    const { upsertedIds } = await users.bulkWrite(entries.map(toOperation), { ordered: false });
    return { created: indexes(upsertedIds), failed: new Map<number, Error>() };
  } catch (error) {
    const failures = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
    // The driver wraps the error of a whole batch and drops its class. An error without a code is a
    // network error.
    if (!(error instanceof mongo.MongoBulkWriteError) || (failures.length === 0 && error.code !== undefined))
      throw error;
    // Without the write concern no write of the batch is known to be durable.
    if (failures.length === 0 || error.result.getWriteConcernError()) throw new Unavailable();
    return {
      created: indexes(error.upsertedIds),
      failed: new Map(failures.map((failure) => [failure.index, toError(failure)])),
    };
  }
}

function toOperation({ write }: Entry): mongo.AnyBulkWriteOperation<UserDocument> {
  if (write.kind === 'insert') return { insertOne: { document: write.record } };
  return { updateOne: { filter: write.filter, update: write.update, upsert: true } };
}

function indexes(upserted: Record<number, unknown>): Set<number> {
  return new Set(Object.keys(upserted).map(Number));
}

function toError({ code, errmsg = 'write error' }: mongo.WriteError): Error {
  return new mongo.MongoServerError({ message: errmsg, code });
}

/**
 * Resolves upserts of unknown records with one read, because a bulk write does not return what it
 * changed.
 */
async function resolveChanged(users: UserCollection, changed: Entry<Upsert>[]): Promise<void> {
  const byApp = new Map<string, Entry<Upsert>[]>();
  for (const entry of changed) {
    const appId = entry.write.appId.toHexString();
    const sameApp = byApp.get(appId);
    if (sameApp) sameApp.push(entry);
    else byApp.set(appId, [entry]);
  }
  const filters = [...byApp.values()].map(filterOf);
  const [first = {}] = filters;
  const records = users.find(filters.length === 1 ? first : { $or: filters }, {
    projection: { appId: 1, email: 1, createdAt: 1 },
  });

  const found = new Map<string, Written>();
  for await (const record of records) found.set(keyOf(record), { id: record._id, createdAt: record.createdAt });
  for (const { write, resolve, reject } of changed) {
    const written = found.get(keyOf(write));
    if (written) resolve(written);
    else reject(new Unavailable('The record was erased while it was written; send it again', 1));
  }
}

/** Matches the records of these entries, which all belong to one app. */
function filterOf(entries: Entry<Upsert>[]): mongo.Filter<UserDocument> {
  const [first] = entries;
  return { ...(first && { appId: first.write.appId }), email: { $in: entries.map(({ write }) => write.email) } };
}

function keyOf({ appId, email }: Pick<UserDocument, 'appId' | 'email'>): string {
  return `${appId.toHexString()} ${email}`;
}
