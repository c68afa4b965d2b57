import type { UserCollection } from '../../users/users.model.ts';
import type { RecordWrite, Written } from './submission.ts';

/**
 * The one place where a submission meets the database. What `write` resolves with is durable; it rejects with the driver's error for this one write,
 * whatever else was written with it.
 */
export interface RecordWriter {
  write(write: RecordWrite): Promise<Written>;
}

/** Writes each by itself, in one round trip. */
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
