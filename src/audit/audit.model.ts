import type { Connection, Types } from 'mongoose';
import type { AuditAction, AuditActor } from '../api/audit-action.ts';
import { type Collection, createModel, type Model, Schema } from '../database/collections.ts';

/** An action of the audit log: those of endpoints, and log-ins that failed. */
export type LoggedAction = AuditAction | 'login.failed';

/** One event, or several equal ones. It has no personal data. */
export interface AuditDocument {
  /** A UUID of version 7, as text: the order of ids is that of time. */
  _id: string;
  at: Date;
  action: LoggedAction;
  actor: { kind: AuditActor['kind']; id: string | null; address: string | null };
  /** The incarnation of the app; null for all apps, and for an app that was deleted. */
  appId: Types.ObjectId | null;
  sourceAppId: string | null;
  target: string | null;
  detail?: Readonly<Record<string, string | number | boolean>>;
  /** How often it happened, and when last, if more than once. */
  count: number;
  lastAt?: Date;
  expiresAt: Date;
}

const auditSchema = new Schema(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    action: { type: String, required: true },
    actor: { type: Schema.Types.Mixed, required: true },
    appId: { type: Schema.Types.ObjectId },
    sourceAppId: { type: String },
    target: { type: String },
    detail: { type: Schema.Types.Mixed },
    count: { type: Number, required: true },
    lastAt: { type: Date },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { collection: 'audit_events', versionKey: false },
)
  // The events of an app, and those of one action, newest first.
  .index({ sourceAppId: 1, _id: -1 })
  .index({ sourceAppId: 1, action: 1, _id: -1 })
  .index({ action: 1, _id: -1 });

export type AuditCollection = Collection<AuditDocument>;

/** The model of `audit_events`, with its indexes. */
export const createAuditModel = (connection: Connection): Model<AuditDocument> =>
  createModel(connection, 'AuditEvent', auditSchema);
