import { ObjectId } from 'mongodb';
import type { Connection } from '../platform/database/client.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../platform/database/mongoose.ts';
import { formSchema } from './form-settings.ts';
import { slotSchema, wordsSchema } from './index-slots.ts';

export type Role = 'user' | 'admin';

/** Matches apps that are neither being created nor being deleted. */
export const NOT_BEING_DELETED = { deletingSince: { $exists: false } };

/** An origin that an app does not list. `null`: that of a file, or none. */
const originSchema = schema(
  {
    origin: { type: String, required: true },
    count: { type: Number, required: true },
    lastAt: { type: Date, required: true },
  },
  { _id: false },
);
export type CountedOrigin = DocumentOf<typeof originSchema>;

/** The reservation of one server for new records of an app with `maxRecords`. */
const seatsSchema = schema(
  {
    token: { type: ObjectId, required: true },
    count: { type: Number, required: true },
    /** By MongoDB's clock. */
    until: { type: Date, required: true },
  },
  { _id: false },
);

/** The emails of an app in the latest hour that has any, by MongoDB's clock. */
const mailCountsSchema = schema(
  {
    /**
     * The last hour for which confirmation emails are planned, and their number. `at`: the time of
     * the last one that was planned.
     */
    confirmation: schema(
      { hour: { type: Date, required: true }, count: { type: Number, required: true }, at: Date },
      { _id: false },
    ),
    /** `summed`: changes that the summary counts; `share`: the latest additions to both. */
    each: schema(
      {
        hour: { type: Date, required: true },
        count: { type: Number, required: true },
        summed: { type: Number, required: true },
        share: { type: [Number], required: true },
      },
      { _id: false },
    ),
  },
  { _id: false },
);

/** The age in days at which records are erased, and the time it counts from. */
const retentionSchema = schema(
  {
    days: { type: Number, required: true },
    basis: { type: only<'createdAt' | 'updatedAt'>(String), required: true },
  },
  { _id: false },
);
export type Retention = DocumentOf<typeof retentionSchema>;

/** Whether submissions are part of the history of records, and how many days entries are kept. */
const historySchema = schema(
  {
    submissions: { type: Boolean, required: true },
    days: { type: Number, required: true },
  },
  { _id: false },
);
export type HistorySettings = DocumentOf<typeof historySchema>;

/**
 * One app (spec 2.2). `_id` identifies one incarnation, and all data of an app refers to it, so
 * that a new app never reads data of an earlier one with the same `sourceAppId` (decision 14).
 */
const appSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    sourceAppId: { type: String, required: true },
    role: { type: only<Role>(String), required: true },
    passwordHash: { type: String, required: true },
    /**
     * False: the password and its sessions are refused. Copied from the app's members, which
     * decide.
     */
    sharedLogin: Boolean,
    /** The change of the members that was copied last. */
    sharedLoginEpoch: Number,
    /** Replaced with the password; sessions with another value are invalid. */
    credentialId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    /** Set during creation and deletion: the app accepts no submission, login or session. */
    deletingSince: Date,
    /** Set with `deletingSince`, which filters on live apps test, until the confirmation. */
    creating: only<true>(Boolean),
    /** May lag by a second, and a crash loses updates (activity.ts). */
    lastSubmissionAt: Date,
    /** Absent: the default settings. */
    form: formSchema,
    /** The latest origins with refused requests (origins.ts). */
    refusedOrigins: [originSchema],
    /** The latest origins of refused redirects (origins.ts). */
    ignoredRedirects: [originSchema],
    /** Reservations of records that are being created (intake/bots/admission.ts). */
    seats: [seatsSchema],
    mailCounts: mailCountsSchema,
    /** Absent: records are never erased for their age. */
    retention: retentionSchema,
    /** Absent: without submissions, for 90 days. */
    history: historySchema,
    consumers: [String],
    slots: [slotSchema],
    /** The index of words. Absent when the search by words is off. */
    words: wordsSchema,
    /** Fences writes of both: each change increments it, and records refuse lower ones. */
    slotEpoch: Number,
  },
  { collection: 'apps', placement: 'one document for each app; the name is unique over all apps' },
)
  .index({ sourceAppId: 1 }, { unique: true })
  .index({ deletingSince: 1 }, { sparse: true })
  // Preflights do not name the app (origins.ts).
  .index({ 'form.origins': 1 }, { sparse: true })
  // The job that builds and drops slots.
  .index({ 'slots.state': 1 }, { sparse: true })
  .index({ 'slots.checkAt': 1 }, { sparse: true })
  // The job of the indexes of words.
  .index({ 'words.state': 1 }, { sparse: true })
  .index({ 'words.checkAt': 1 }, { sparse: true })
  // The job that relays events.
  .index({ consumers: 1 }, { sparse: true })
  // The job that erases old records.
  .index({ 'retention.days': 1 }, { sparse: true })
  // The job that plans daily emails.
  .index({ 'form.notify.when': 1 }, { sparse: true })
  .index({ 'form.nullOrigin': 1 }, { partialFilterExpression: { 'form.nullOrigin': true } });
export type AppDocument = DocumentOf<typeof appSchema>;

/**
 * The tombstone of a deleted app. Only records whose app has one are removed as records without an
 * app (invariant 8, decision 14). It outlives the suspension of a server.
 */
const deletedAppSchema = schema(
  {
    _id: { type: ObjectId, required: true },
    deletedAt: { type: Date, required: true },
    /** When the app was marked. */
    begunAt: { type: Date, required: true },
    forgetAt: { type: Date, required: true },
    /** When a sweep first found late documents, by MongoDB's clock. */
    lateSince: Date,
  },
  { collection: 'deleted_apps', placement: 'one document for each deleted app' },
)
  .index({ forgetAt: 1 }, { expireAfterSeconds: 0 })
  .index({ lateSince: 1 }, { sparse: true });
export type DeletedAppDocument = DocumentOf<typeof deletedAppSchema>;

/** See revision.ts. */
const revisionSchema = schema(
  {
    _id: { type: String, required: true },
    value: { type: ObjectId, required: true },
  },
  { collection: 'revisions', placement: 'one document' },
);

export type AppModel = Model<AppDocument>;
export type DeletedAppModel = Model<DeletedAppDocument>;
export type RevisionModel = Model<DocumentOf<typeof revisionSchema>>;

export const createAppModel = (connection: Connection): AppModel => createModel(connection, appSchema);

export const createDeletedAppModel = (connection: Connection): DeletedAppModel =>
  createModel(connection, deletedAppSchema);

export const createRevisionModel = (connection: Connection): RevisionModel => createModel(connection, revisionSchema);
