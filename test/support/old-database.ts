import { Binary, type Db, ObjectId } from 'mongodb';

/** More than two steps of migration 2. */
export const OLD_CHUNKS = 250;
export const OLD_TOMBSTONES = 5;

interface OldChunk {
  _id: number;
  importId: ObjectId;
  bytes: Binary;
  size?: number;
}

export const chunksOf = (db: Db) => db.collection<OldChunk>('import_chunks');

/** Stores what migrations change, as an earlier release stored it, long ago. */
export async function storeOldData(db: Db): Promise<void> {
  const past = new Date('2026-01-01T00:00:00Z');
  const lock = { owner: '', until: past, at: past, next: past };
  await db.collection<{ _id: string }>('jobs').insertOne({ _id: 'a job of an earlier release', ...lock });
  const tombstones = Array.from({ length: OLD_TOMBSTONES }, () => ({ deletedAt: new Date() }));
  await db.collection('deleted_apps').insertMany(tombstones);
  await db.collection('deleted_apps').createIndex({ deletedAt: 1 }, { expireAfterSeconds: 3_600 });
  const importId = new ObjectId();
  const chunk = (_id: number): OldChunk => ({ _id, importId, bytes: new Binary(Buffer.alloc(_id % 7)) });
  await chunksOf(db).insertMany(Array.from({ length: OLD_CHUNKS }, (_, index) => chunk(index)));
  await chunksOf(db).createIndex({ importId: 1 });
}

/** Returns how many documents have not the shape of this release. */
export async function countOld(db: Db): Promise<number> {
  const isWrong = { $ne: ['$size', { $binarySize: '$bytes' }] };
  const [chunks, tombstones] = await Promise.all([
    chunksOf(db).countDocuments({ $expr: isWrong }),
    db.collection('deleted_apps').countDocuments({ forgetAt: { $exists: false } }),
  ]);
  return chunks + tombstones;
}
