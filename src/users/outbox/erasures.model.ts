import type { Connection, mongo, Types } from 'mongoose';
import type { AppOwned } from '../../apps/app-owned.ts';
import { type Collection, createModel, type Model, Schema } from '../../database/collections.ts';

/**
 * The announced erasure of a record of an app with consumers. It is written before the record is
 * deleted; the event follows when the record is gone (decision 23). It has no personal data.
 */
export interface ErasureDocument {
  /** The id of the record. */
  _id: mongo.UUID;
  appId: Types.ObjectId;
  /** The id of the event. */
  eventId: mongo.UUID;
  /** The revision of the event. */
  revision: number;
  /** When it was announced, by MongoDB's clock. */
  at: Date;
}

const erasureSchema = new Schema(
  {
    _id: { type: Schema.Types.UUID, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    eventId: { type: Schema.Types.UUID, required: true },
    revision: { type: Number, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'erasures', versionKey: false },
).index({ appId: 1 });

export type ErasureCollection = Collection<ErasureDocument>;

/** The model of `erasures`, with its index. */
export const createErasureModel = (connection: Connection): Model<ErasureDocument> =>
  createModel(connection, 'Erasure', erasureSchema);

/** The announced erasures of an app, as its data. */
export function createErasureStore(erasures: ErasureCollection) {
  return {
    /** Whether an announced erasure waits to be told. */
    existAny: async (): Promise<boolean> =>
      (await erasures.findOne({}, { projection: { _id: 1 }, sort: { _id: 1 } })) !== null,

    removeAll: async (appId: Types.ObjectId, since?: Date): Promise<number> =>
      (await erasures.deleteMany({ appId, ...(since && { at: { $gte: since } }) })).deletedCount,
    has: async (appId: Types.ObjectId, made: 'before' | 'since', time: Date): Promise<boolean> => {
      const at = { [made === 'before' ? '$lt' : '$gte']: time };
      return (await erasures.findOne({ appId, at }, { projection: { _id: 1 } })) !== null;
    },
  } satisfies AppOwned & Record<string, unknown>;
}
