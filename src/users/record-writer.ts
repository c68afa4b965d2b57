import type { Upsert, Written } from './submission.ts';
import type { UserCollection } from './users.model.ts';

/**
 * The one place where a submission meets the database. What `upsert` resolves with is durable; it rejects with the driver's error for this one upsert,
 * whatever else was written with it.
 */
export interface RecordWriter {
  upsert(upsert: Upsert): Promise<Written>;
}

/** Writes an upsert by itself, in one round trip. */
export function createRecordWriter(users: UserCollection): RecordWriter {
  return {
    async upsert({ filter, update }) {
      const options = { upsert: true, returnDocument: 'after', projection: { createdAt: 1 } } as const;
      const record = await users.findOneAndUpdate(filter, update, options);
      if (!record) throw new Error('an upsert returned no record');
      return { id: record._id, createdAt: record.createdAt };
    },
  };
}
