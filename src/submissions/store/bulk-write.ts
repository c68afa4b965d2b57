import { mongo } from 'mongoose';
import { Unavailable } from '../../core/errors.ts';
import type { UserCollection, UserDocument } from '../../users/users.model.ts';
import type { RecordWrite, Upsert, Written } from './submission.ts';

/** One write of a batch, and whom to tell what became of it. */
export interface Entry<Write extends RecordWrite = RecordWrite> {
  write: Write;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/** Writes a batch and settles all of its entries. Inserts and upserts go out as two commands at once; one bulk write of both would send them one after the other. */
export async function writeBatch(users: UserCollection, batch: readonly Entry[]): Promise<void> {
  const inserts = batch.filter(({ write }) => write.kind === 'insert');
  const upserts = batch.filter(isUpsert);
  await Promise.all([
    settling(inserts, (entries) => insertAll(users, entries)),
    settling(upserts, (entries) => upsertAll(users, entries)),
  ]);
}

function isUpsert(entry: Entry): entry is Entry<Upsert> {
  return entry.write.kind === 'upsert';
}

/** When `work` throws, nothing is known of any of the entries: then all of them failed. */
async function settling<Item extends Entry>(entries: Item[], work: (entries: Item[]) => Promise<void>): Promise<void> {
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
  if (changed.length > 0) await answerChanged(users, changed);
}

/** @returns by the index of the entry: which upserts created a record, and what refused an entry */
async function bulkWrite(users: UserCollection, entries: readonly Entry[]) {
  try {
    const { upsertedIds } = await users.bulkWrite(entries.map(toOperation), { ordered: false });
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

/** A bulk write does not tell which records it changed: one look answers for all that were not known before. */
async function answerChanged(users: UserCollection, changed: Entry<Upsert>[]): Promise<void> {
  const byApp = new Map<string, Entry<Upsert>[]>();
  for (const entry of changed) {
    const app = entry.write.appId.toHexString();
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
  for (const { write, resolve, reject } of changed) {
    const written = found.get(nameOf(write));
    if (written) resolve(written);
    else reject(new Unavailable('The record was erased while it was written; send it again', 1));
  }
}

/** All of one app. */
function recordsOf(entries: Entry<Upsert>[]): mongo.Filter<UserDocument> {
  const [first] = entries;
  return { ...(first && { appId: first.write.appId }), email: { $in: entries.map(({ write }) => write.email) } };
}

function nameOf({ appId, email }: Pick<UserDocument, 'appId' | 'email'>): string {
  return `${appId.toHexString()} ${email}`;
}
