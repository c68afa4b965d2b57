import type { ObjectId } from 'mongodb';
import type { Connection } from '../database/client.ts';
import { type Collection, createModel, declareCollection, type Model } from '../database/collections.ts';
import type { CountedOrigin, StoredFormSettings } from './form-settings.ts';
import type { IndexSlot } from './index-slots.ts';

export type Role = 'user' | 'admin';

/** Room that one server reserved for new records of an app with `maxRecords`. */
export interface Seats {
  token: ObjectId;
  count: number;
  /** By MongoDB's clock. */
  until: Date;
}

/** The emails of an app in the latest hour that has any. All times are by MongoDB's clock. */
interface MailCounts {
  /** The last hour for which confirmation emails are planned, and their number. */
  confirmation?: { hour: Date; count: number };
  /**
   * The emails about single changes in an hour, and the changes that its summary counts; `share` is
   * what the last reservation added to both.
   */
  each?: { hour: Date; count: number; summed: number; share: number[] };
}

/** The age in days from which records are erased, and the time from which it counts. */
export interface Retention {
  days: number;
  basis: 'createdAt' | 'updatedAt';
}

/**
 * One app (spec 2.2). `_id` identifies one incarnation: an app that is deleted and created again
 * gets another. All data of an app refers to `_id`, so that a new app never sees data of an earlier
 * one with the same `sourceAppId` (decision 5).
 */
export interface AppDocument {
  _id: ObjectId;
  sourceAppId: string;
  role: Role;
  passwordHash: string;
  /** Replaced with the password; a session with another value is no longer valid. */
  credentialId: string;
  createdAt: Date;
  /**
   * Set while the app is being created or deleted; it then accepts no submission, login or session.
   */
  deletingSince?: Date;
  /**
   * Set together with `deletingSince` until the creation is confirmed (app-creation.ts). A separate
   * field, so that filters on live apps test `deletingSince` only.
   */
  creating?: true;
  /** May lag by about a second, and a crash loses updates: see activity.ts. */
  lastSubmissionAt?: Date;
  /** Absent until an operator changes the settings of the app's forms. */
  form?: StoredFormSettings;
  /** The latest origins whose requests were refused (origins.ts). */
  refusedOrigins?: CountedOrigin[];
  /** The latest origins to which forms asked in vain to send browsers; likewise. */
  ignoredRedirects?: CountedOrigin[];
  /** Room reserved for records that are being created (submissions/admission.ts). */
  seats?: Seats[];
  /** How many emails were planned for the app (notifications/mail-rates.ts). */
  mailCounts?: MailCounts;
  /** When records are erased for their age (users/retention). Absent: never. */
  retention?: Retention;
  /** Who listens to the events of its records (app-consumers.ts). Absent or empty: nobody. */
  consumers?: string[];
  /** The uses of index slots by fields of the app (records/slot-store.ts). Absent: none. */
  slots?: IndexSlot[];
  /**
   * Grows with each change of `slots`. The fencing token of writes of slots: a record keeps the
   * highest one under which it was written, and refuses lower ones. Absent before the first use.
   */
  slotEpoch?: number;
}

/** Matches apps in use: those that are neither being created nor being deleted. */
export const NOT_BEING_DELETED = { deletingSince: { $exists: false } };

const APPS = declareCollection('apps')
  .index({ sourceAppId: 1 }, { unique: true })
  .index({ deletingSince: 1 }, { sparse: true })
  // For preflights, which do not name the app (origins.ts).
  .index({ 'form.origins': 1 }, { sparse: true })
  // For the job that builds and drops them.
  .index({ 'slots.state': 1 }, { sparse: true })
  .index({ 'slots.checkAt': 1 }, { sparse: true })
  // For the job that relays events.
  .index({ consumers: 1 }, { sparse: true })
  // For the job that erases old records.
  .index({ 'retention.days': 1 }, { sparse: true })
  // For the job that plans daily emails.
  .index({ 'form.notify.when': 1 }, { sparse: true })
  .index({ 'form.nullOrigin': 1 }, { partialFilterExpression: { 'form.nullOrigin': true } });

/**
 * The tombstone of a deleted app. Records without an app are removed only when a tombstone names
 * their app (invariant 8, decision 14). It is kept longer than sweeps search for late writes, for
 * servers that were suspended meanwhile.
 */
export interface DeletedAppDocument {
  _id: ObjectId;
  deletedAt: Date;
  /** When the app was marked as being deleted. Absent in tombstones of earlier releases. */
  begunAt?: Date;
  /** When MongoDB removes the tombstone. */
  forgetAt: Date;
  /** When a sweep first found late documents, by MongoDB's clock. */
  lateSince?: Date;
}

const DELETED_APPS = declareCollection('deleted_apps')
  .index({ forgetAt: 1 }, { expireAfterSeconds: 0 })
  .index({ lateSince: 1 }, { sparse: true });

/**
 * The revision: see revision.ts. The collection name `change_stamps` and the field name `stamp` are
 * kept for existing databases.
 */
interface RevisionDocument {
  _id: string;
  stamp: ObjectId;
}

const CHANGE_STAMPS = declareCollection('change_stamps');

export type AppCollection = Collection<AppDocument>;
export type DeletedAppCollection = Collection<DeletedAppDocument>;

export type RevisionCollection = Collection<RevisionDocument>;

export const createAppModel = (connection: Connection): Model<AppDocument> => createModel(connection, APPS);

export const createDeletedAppModel = (connection: Connection): Model<DeletedAppDocument> =>
  createModel(connection, DELETED_APPS);

export const createRevisionModel = (connection: Connection): Model<RevisionDocument> =>
  createModel(connection, CHANGE_STAMPS);
