import { Binary, ObjectId, UUID } from 'mongodb';
import type { Connection } from '../database/client.ts';
import type { Collection } from '../database/collections.ts';
import { createModel, type Model, schema } from '../database/mongoose.ts';
import { authorSchema, type HistoryAuthor } from '../records/record.ts';

/** `stopping`: the batch in progress ends first. */
export const CHANGE_STATES = ['running', 'completed', 'stopping', 'stopped', 'undoing', 'undone', 'failed'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/** How far a pass over the records is, and what it did. */
export interface Pass {
  /** The number of processed records, which is also the position. */
  done: number;
  changed: number;
  refused: number;
  /** The first ones. */
  errors: { id: string; message: string }[];
}

/** A change of many records (spec 4.3.6). Its records are in `change_records`. */
export interface ChangeDocument {
  _id: ObjectId;
  appId: ObjectId;
  sourceAppId: string;
  state: ChangeState;
  set: Record<string, unknown>;
  unset: string[];
  /** The schema version whose keys they have. */
  version: number;
  by: HistoryAuthor;
  undoneBy?: HistoryAuthor;
  total: number;
  /** Its records that were erased since, of at most 1,000. */
  erased?: UUID[];
  pass: Pass;
  undo?: Pass;
  failure?: string;
  createdAt: Date;
  /** When the change or its undo began to wait for its turn. */
  startedAt: Date;
  endedAt?: Date;
  expiresAt: Date;
  /** The number of runs, and the run that may write (import-store.ts has the same). */
  runs?: number;
  runner?: number;
}

/** Ids of records of a change: at most 1,000. `_id`: the change and the number of the part. */
export interface ChangeRecords {
  _id: string;
  appId: ObjectId;
  changeId: ObjectId;
  at: Date;
  uuids: Binary;
  expiresAt: Date;
}

const passSchema = schema<Pass>(
  {
    done: { type: Number, required: true },
    changed: { type: Number, required: true },
    refused: { type: Number, required: true },
    errors: {
      type: [
        schema<Pass['errors'][number]>(
          { id: { type: String, required: true }, message: { type: String, required: true } },
          { _id: false },
        ),
      ],
      required: true,
    },
  },
  { _id: false },
);

const changeSchema = schema<ChangeDocument>(
  {
    _id: { type: ObjectId, required: true },
    appId: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    state: { type: String, required: true, enum: CHANGE_STATES },
    set: { type: Object, required: true },
    unset: { type: [String], required: true },
    version: { type: Number, required: true },
    by: { type: authorSchema, required: true },
    undoneBy: authorSchema,
    total: { type: Number, required: true },
    erased: [UUID],
    pass: { type: passSchema, required: true },
    undo: passSchema,
    failure: String,
    createdAt: { type: Date, required: true },
    startedAt: { type: Date, required: true },
    endedAt: Date,
    expiresAt: { type: Date, required: true },
    runs: Number,
    runner: Number,
  },
  { collection: 'changes', placement: 'at most 50 for each app' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ appId: 1, _id: -1 })
  .index({ state: 1, startedAt: 1 });

const changeRecordsSchema = schema<ChangeRecords>(
  {
    _id: { type: String, required: true },
    appId: { type: ObjectId, required: true },
    changeId: { type: ObjectId, required: true },
    at: { type: Date, required: true },
    uuids: { type: Binary, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'change_records', placement: 'ids of the records of kept changes' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ changeId: 1 })
  .index({ appId: 1, at: 1 });

export type ChangeCollection = Collection<ChangeDocument>;
export type ChangeRecordCollection = Collection<ChangeRecords>;

export const createChangeModel = (connection: Connection): Model<ChangeDocument> =>
  createModel(connection, changeSchema);

export const createChangeRecordModel = (connection: Connection): Model<ChangeRecords> =>
  createModel(connection, changeRecordsSchema);
