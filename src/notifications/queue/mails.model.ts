import type { Connection, Types } from 'mongoose';
import { type Collection, createModel, type Model, Schema } from '../../database/collections.ts';
import type { RecordId } from '../../users/record-id.ts';

/**
 * What an email is about: `confirmation` asks a person to confirm the address; `each` tells
 * operators of one change; `summary` counts the changes of an hour beyond the limit of single
 * emails; `digest` counts those of a day.
 */
export type MailPurpose = 'confirmation' | 'each' | 'summary' | 'digest';

/**
 * - `due`: to be sent at `nextAt`;
 * - `summed`: not sent, counted by the summary that `summary` names;
 * - `sent`: the SMTP server took it for at least one address;
 * - `failed`: refused for good, or too often, for all addresses;
 * - `dropped`: there was no reason to send it any more.
 */
export type MailState = 'due' | 'summed' | 'sent' | 'failed' | 'dropped';

/**
 * One email. `_id` derives from its cause, so that a cause that is told twice makes one email. The
 * content and the addresses are read when it is sent, so the queue holds no personal data but the
 * id of the record.
 */
export interface MailDocument {
  _id: string;
  appId: Types.ObjectId;
  purpose: MailPurpose;
  state: MailState;
  createdAt: Date;
  /** When it is sent, or tried again if the server that took it died. */
  nextAt: Date;
  /** How often a server took it to send it. */
  attempts: number;
  /** The record that it is about. */
  recordId?: RecordId;
  /** `each`: whether the record was created, not changed, and when. */
  isCreation?: boolean;
  at?: Date;
  /** `summed`: the summary that counts it. */
  summary?: string;
  /** `summary`: the beginning of its hour. */
  hour?: Date;
  /** `digest`: the day in the app's time zone, and the numbers of records. */
  day?: string;
  created?: number;
  changed?: number;
  /** Hashes of the addresses for which the SMTP server took it, or refused it for good. */
  taken?: string[];
  refused?: string[];
  /** Why the last attempt failed (MailFailure.reason). */
  reason?: string;
  /** When MongoDB removes it. */
  expiresAt: Date;
}

const mailSchema = new Schema(
  {
    _id: { type: String, required: true },
    appId: { type: Schema.Types.ObjectId, required: true },
    purpose: { type: String, required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true },
    nextAt: { type: Date, required: true },
    attempts: { type: Number, required: true },
    recordId: { type: Schema.Types.UUID },
    isCreation: { type: Boolean },
    at: { type: Date },
    summary: { type: String },
    hour: { type: Date },
    day: { type: String },
    created: { type: Number },
    changed: { type: Number },
    taken: { type: [String], default: undefined },
    refused: { type: [String], default: undefined },
    reason: { type: String },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { collection: 'mails', versionKey: false },
)
  // The emails to send, in order.
  .index({ nextAt: 1 }, { partialFilterExpression: { state: 'due' } })
  .index({ appId: 1, createdAt: 1 })
  .index({ recordId: 1 }, { sparse: true })
  .index({ summary: 1 }, { sparse: true });

export type MailCollection = Collection<MailDocument>;

/** The model of `mails`, with its indexes. */
export const createMailModel = (connection: Connection): Model<MailDocument> =>
  createModel(connection, 'Mail', mailSchema);
