import type { Connection, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';

/** The lock of one job. All times are by MongoDB's clock. */
export interface JobDocument {
  /** The name of the job. */
  _id: string;
  /** The runner that holds the lock, if `until` is not over; empty after a release. */
  owner: string;
  /** The turn of that runner. */
  turn?: Types.ObjectId;
  until: Date;
  /** When the lock was last taken or renewed. */
  at: Date;
  /** Before this time only a runner that was woken takes the lock. */
  next: Date;
}

const jobSchema = new Schema(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    turn: { type: Schema.Types.ObjectId },
    until: { type: Date, required: true },
    at: { type: Date, required: true },
    next: { type: Date, required: true },
  },
  { collection: 'jobs', versionKey: false },
);

export type JobCollection = Collection<JobDocument>;

/** The model of `jobs`. */
export const createJobModel = (connection: Connection): Model<JobDocument> => createModel(connection, 'Job', jobSchema);
