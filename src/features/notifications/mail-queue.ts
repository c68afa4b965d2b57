import { type AnyBulkWriteOperation, ObjectId, UUID } from 'mongodb';
import type { RecordId } from '../../core/users/users.model.ts';
import type { Connection } from '../../platform/database/client.ts';
import type { Collection } from '../../platform/database/collections.ts';
import { isOnlyDuplicates } from '../../platform/database/failures.ts';
import { type Lookup, lookup } from '../../platform/database/lookups.ts';
import { createModel, type DocumentOf, type Model, only, schema } from '../../platform/database/mongoose.ts';
import { type RemovalGuard, removeInSteps } from '../../platform/database/removal.ts';
import { numbersByApp, type OverviewRead } from '../overview/overview-part.ts';
import type { PersonData } from '../people/person-data.ts';
import type { RecordReader } from '../record-reads/record-reader.ts';

/**
 * `change`: one waits for the link; `entry`: a link to the own entry; `each`: one change;
 * `summary`: the number of further changes of an hour; `digest`: of a day.
 */
export const MAIL_PURPOSES = ['confirmation', 'change', 'reply', 'entry', 'each', 'summary', 'digest'] as const;
export type MailPurpose = (typeof MAIL_PURPOSES)[number];

/** `sent`: the SMTP server took it for an address; `dropped`: there was no reason to send it. */
export type MailState = 'due' | 'summed' | 'sent' | 'failed' | 'dropped';

const attemptSchema = schema({
  at: { type: Date, required: true },
  status: Number,
  error: String,
});
/** The result of an attempt for all addresses; of several failures the last one. */
export type MailAttempt = DocumentOf<typeof attemptSchema>;

/** The emails of an app, newest first, of one purpose and state or merged of several. */
export const LOG_OF_APP = { appId: 1, purpose: 1, state: 1, createdAt: -1, _id: -1 } as const;

/**
 * One email. `_id` derives from its cause, so that a repeated event makes one email. Content and
 * addresses are read when it is sent, so the only personal data is the id of the record.
 */
const mailSchema = schema(
  {
    _id: { type: String, required: true },
    appId: { type: ObjectId, required: true },
    purpose: { type: only<MailPurpose>(String), required: true },
    state: { type: only<MailState>(String), required: true },
    createdAt: { type: Date, required: true },
    /** When it is sent, or tried again if the server that took it died. */
    nextAt: { type: Date, required: true },
    attempts: { type: Number, required: true },
    /** `attempts` when an operator last repeated it: the further ones begin again. */
    repeatedAfter: Number,
    /** The last attempts, oldest first. Absent before the first one, and of earlier versions. */
    log: [attemptSchema],
    recordId: UUID,
    /** `change`: what waits. */
    changeId: UUID,
    /** Of an email to the person: the language of the person; absent: that of the app. */
    lang: String,
    /** `reply`: the event of the submission. */
    event: String,
    /** `each`: whether the record was created, and when. */
    isCreation: Boolean,
    at: Date,
    /** `summed`: the summary that counts it. */
    summary: String,
    /** `summary`: the start of its hour. */
    hour: Date,
    /** `digest`: the day in the app's time zone, and the numbers of records. */
    day: String,
    created: Number,
    changed: Number,
    /** Hashes of the addresses for which the SMTP server took it, or refused it permanently. */
    taken: [String],
    refused: [String],
    reason: String,
    /** The only address, or the content, was refused permanently. */
    bounced: only<true>(Boolean),
    expiresAt: { type: Date, required: true },
  },
  { collection: 'mails', placement: 'no personal data, limited for each app and hour, kept for 30 days' },
)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ nextAt: 1 }, { partialFilterExpression: { state: 'due' } })
  .index({ appId: 1, createdAt: 1 })
  .index(LOG_OF_APP)
  .index({ recordId: 1 }, { sparse: true })
  .index({ summary: 1 }, { sparse: true });

export type MailDocument = DocumentOf<typeof mailSchema>;
export type MailCollection = Collection<MailDocument>;

export const createMailModel = (connection: Connection): Model<MailDocument> => createModel(connection, mailSchema);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The waits between attempts; after the last one the email has failed. */
export const RETRY_AFTER_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  8 * HOUR_MS,
  DAY_MS,
];
/** After so many claims, each attempt failed or ended the server that made it. */
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1;
/** How long a claim is valid, longer than an attempt; then another server sends the email. */
export const CLAIM_MS = 2 * MINUTE_MS;
export const KEEP_MS = 30 * DAY_MS;
/** How long an email that no server sends is kept: longer than all attempts take. */
export const KEEP_DUE_MS = 3 * DAY_MS;
const KEEP_SUMMED_MS = 2 * DAY_MS;
const MAX_LOG = 5;

/** Absent `nextAt`: to be sent at once. */
export type NewMail = Omit<
  MailDocument,
  'state' | 'createdAt' | 'nextAt' | 'attempts' | 'expiresAt' | 'reason' | 'log'
> & {
  nextAt?: Date;
};

/** Returns the number of an attempt since the email was planned, or repeated by an operator. */
export const attemptNumber = ({ attempts, repeatedAfter = 0 }: Pick<MailDocument, 'attempts' | 'repeatedAfter'>) =>
  attempts - repeatedAfter;

export type MailQueue = ReturnType<typeof createMailQueue>;

/**
 * An email is durable once `add` has resolved. It is sent twice only if a server dies or loses the
 * database after the SMTP server took it and before that is stored.
 * @param now the time of MongoDB's clock: a server whose clock is ahead takes no claimed email
 */
export function createMailQueue(mails: MailCollection, now: () => number) {
  const due = () => ({ state: 'due', nextAt: { $lte: new Date(now()) } }) as const;

  return {
    /** The emails of each app that could not be sent, of those that were planned since a time. */
    countFailed: (read: OverviewRead) =>
      numbersByApp(mails, read, {
        where: { purpose: { $in: [...MAIL_PURPOSES] }, state: 'failed', createdAt: { $gte: read.since } },
        hint: LOG_OF_APP,
      }),

    /** Plans emails. One whose `_id` exists, in any state, is not changed. */
    async add(all: readonly NewMail[]): Promise<void> {
      if (all.length === 0) return;
      const createdAt = new Date(now());
      const writes = all.map(({ _id, nextAt = createdAt, ...mail }): AnyBulkWriteOperation<MailDocument> => {
        const isDue = mail.summary === undefined;
        const expiresAt = new Date(isDue ? nextAt.getTime() + KEEP_DUE_MS : now() + KEEP_SUMMED_MS);
        const state = isDue ? 'due' : 'summed';
        const document = { ...mail, state, createdAt, nextAt, attempts: 0, expiresAt } as const;
        return { updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } };
      });
      try {
        await mails.bulkWrite(writes, { ordered: false });
      } catch (error) {
        // Two servers processed one cause at the same time.
        if (!isOnlyDuplicates(error)) throw error;
      }
    },

    /** Looks for a due email. */
    anyDue: (): Lookup => lookup(mails, due()),

    /** Resolves with at most `count` ids of due emails, the longest waiting first. */
    async dueIds(count: number): Promise<string[]> {
      const options = { projection: { _id: 1 }, sort: { nextAt: 1 }, limit: count } as const;
      const found = await mails.find(due(), options).toArray();
      return found.map(({ _id }) => _id);
    },

    /** Reserves an email for this server for {@link CLAIM_MS}; undefined when it is not due. */
    async claim(_id: string): Promise<MailDocument | undefined> {
      const update = { $set: { nextAt: new Date(now() + CLAIM_MS) }, $inc: { attempts: 1 } };
      return (await mails.findOneAndUpdate({ _id, ...due() }, update, { returnDocument: 'after' })) ?? undefined;
    },

    /**
     * Extends a claim; stores the hash of a settled address. False: another server has the email.
     */
    async extendClaim(
      { _id, attempts }: MailDocument,
      settled: { taken?: string; refused?: string },
    ): Promise<boolean> {
      const isSettled = Object.keys(settled).length > 0;
      const update = { $set: { nextAt: new Date(now() + CLAIM_MS) }, ...(isSettled && { $addToSet: settled }) };
      return (await mails.updateOne({ _id, state: 'due', attempts }, update)).matchedCount === 1;
    },

    /**
     * Stores the result of a claimed email; resolves with the state that follows. Undefined:
     * another server has the email.
     */
    async settle(
      mail: MailDocument,
      { state, reason, bounced, needsRetry = false, attempt }: MailResult,
    ): Promise<MailState | undefined> {
      const { _id, attempts } = mail;
      const wait = needsRetry ? RETRY_AFTER_MS[attemptNumber(mail) - 1] : undefined;
      const result = wait ? { nextAt: new Date(now() + wait) } : { state, expiresAt: new Date(now() + KEEP_MS) };
      const $set = { ...result, ...(reason !== undefined && { reason }), ...(bounced && { bounced }) };
      const $push = attempt && { log: { $each: [attempt], $slice: -MAX_LOG } };
      const update = { $set, ...($push && { $push }) };
      const { matchedCount } = await mails.updateOne({ _id, state: 'due', attempts }, update);
      if (matchedCount === 0) return undefined;
      return wait ? 'due' : state;
    },

    /** Resolves with whether an email was planned, in any state. */
    exists: async (_id: string): Promise<boolean> =>
      (await mails.findOne({ _id }, { projection: { _id: 1 } })) !== null,

    /** Resolves with the emails of one purpose about a record of the last 30 days. */
    ofRecord: (recordId: RecordId, purpose: MailPurpose) =>
      mails
        .find<Pick<MailDocument, '_id' | 'event' | 'state' | 'createdAt' | 'nextAt'>>(
          { recordId, purpose },
          { projection: { event: 1, state: 1, createdAt: 1, nextAt: 1 }, hint: { recordId: 1 } },
        )
        .toArray(),

    /**
     * Resolves with whether another email to the person of a record was refused permanently.
     * @param _id of this one, which an operator may repeat
     * @param since the last change of the address
     */
    hasBounced: async (recordId: RecordId, _id: string, since?: Date): Promise<boolean> => {
      const refused = {
        _id: { $ne: _id },
        recordId,
        purpose: { $in: ['reply', 'confirmation', 'entry'] as MailPurpose[] },
        bounced: true as const,
        ...(since && { createdAt: { $gt: since } }),
      };
      return (await mails.findOne(refused, { projection: { _id: 1 }, hint: { recordId: 1 } })) !== null;
    },

    countSummed: (summary: string): Promise<number> => mails.countDocuments({ summary }),

    /** Deletes the emails about records, sent or not; resolves with their number. */
    removeOf: (appIds: readonly ObjectId[], recordIds: readonly RecordId[], guard: RemovalGuard): Promise<number> =>
      removeInSteps(mails, { appId: { $in: [...appIds] }, recordId: { $in: [...recordIds] } }, guard),
  };
}

export interface MailResult {
  state: Exclude<MailState, 'due' | 'summed'>;
  reason?: string | undefined;
  bounced?: true | undefined;
  /** Some addresses are tried again later, unless it was the last attempt. */
  needsRetry?: boolean;
  /** Absent when nothing was attempted. */
  attempt?: MailAttempt | undefined;
}

const BATCH_SIZE = 100;

/** Emails name only the record, so an erasure deletes them before the records of the person. */
export function createMailsOfPerson(mails: MailCollection, records: Pick<RecordReader, 'idsOfPerson'>): PersonData {
  return {
    name: 'mails',

    async *entriesOf(appIds, email) {
      const ids = await records.idsOfPerson(appIds, email);
      const options = { hint: { recordId: 1 }, batchSize: BATCH_SIZE } as const;
      for await (const { _id, appId, purpose, state, createdAt, log } of mails.find(
        { recordId: { $in: ids } },
        options,
      )) {
        const attempts = log?.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() }));
        const mail = { kind: 'mail', id: _id, purpose, state, at: createdAt.toISOString() };
        yield { appId, shown: { ...mail, ...(attempts && { attempts }) } };
      }
    },

    async eraseOf(appIds, email, guard) {
      return removeInSteps(mails, { recordId: { $in: await records.idsOfPerson(appIds, email) } }, guard);
    },
  };
}
