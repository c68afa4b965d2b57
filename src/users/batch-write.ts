import { mongo } from 'mongoose';
import { Unavailable } from '../errors.ts';
import type { Upsert, Written } from './submission.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/** One upsert of a batch, and whom to tell what became of it. */
export interface Entry {
  upsert: Upsert;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/** Writes a batch and settles its entries. Throws when nothing is known of any of them: then the whole batch failed. */
export async function writeBatch(users: UserCollection, batch: Entry[]): Promise<void> {
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
