import type { UserCollection } from '../../users/users.model.ts';
import type { Insert } from './record-insert.ts';
import type { Upsert } from './record-upsert.ts';
import type { Written } from './submission.ts';

/** The atomic write that stores a submission. */
export type RecordWrite = Insert | Upsert;

/**
 * Sends the writes of submissions to the database. When `write` resolves, the write is durable
 * (invariant 1); it rejects with the driver's error for this write, independent of the other writes
 * of its batch.
 */
export interface RecordWriter {
  write(write: RecordWrite): Promise<Written>;
}

/** Sends each write as a command of its own, in one round trip. */
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
