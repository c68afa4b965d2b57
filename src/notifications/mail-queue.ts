import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { PersonData } from '../apps/feature.ts';
import type { Connection } from '../database/client.ts';
import { type Collection, createModel, declareCollection, type Model } from '../database/collections.ts';
import { isOnlyDuplicates } from '../database/failures.ts';
import type { RecordId } from '../records/record-id.ts';
import type { RecordReader } from '../records/record-reader.ts';

/**
 * What an email is about: `confirmation` asks a person to confirm the address; `each` tells
 * operators of one change; `summary` counts the changes of an hour beyond the limit of single
 * emails; `digest` counts those of a day.
 */
type MailPurpose = 'confirmation' | 'each' | 'summary' | 'digest';

/**
 * - `due`: to be sent at `nextAt`;
 * - `summed`: not sent, counted by the summary that `summary` names;
 * - `sent`: the SMTP server took it for at least one address;
 * - `failed`: refused for good, or too often, for all addresses;
 * - `dropped`: there was no reason to send it any more.
 */
type MailState = 'due' | 'summed' | 'sent' | 'failed' | 'dropped';

/**
 * One email. `_id` derives from its cause, so that a cause that is told twice makes one email. The
 * content and the addresses are read when it is sent, so the queue holds no personal data but the
 * id of the record.
 */
export interface MailDocument {
  _id: string;
  appId: ObjectId;
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

const MAILS = declareCollection('mails')
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  // The emails to send, in order.
  .index({ nextAt: 1 }, { partialFilterExpression: { state: 'due' } })
  .index({ appId: 1, createdAt: 1 })
  .index({ recordId: 1 }, { sparse: true })
  .index({ summary: 1 }, { sparse: true });

type MailCollection = Collection<MailDocument>;

/** The model of `mails`, with its indexes. */
export const createMailModel = (connection: Connection): Model<MailDocument> => createModel(connection, MAILS);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The waits between attempts; after the last one the email has failed. */
export const RETRY_AFTER_MS: readonly number[] = [
  ...[MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS],
];
/** An email that was taken more often failed in each attempt, or ended the server that took it. */
export const MAX_ATTEMPTS = RETRY_AFTER_MS.length + 1;
/**
 * How long an email belongs to the server that took it; longer than an attempt lasts. If that
 * server dies, the email is sent again after this time.
 */
export const CLAIM_MS = 2 * MINUTE_MS;
/** How long emails are kept after they were sent, failed or dropped. */
const KEEP_MS = 30 * DAY_MS;
/** How long an email is kept that no server sends: longer than all attempts take. */
const KEEP_DUE_MS = 3 * DAY_MS;
/** How long a change is kept that a summary counts. */
const KEEP_SUMMED_MS = 2 * DAY_MS;

/** An email to plan. Absent `nextAt`: to be sent at once. */
export type NewMail = Omit<MailDocument, 'state' | 'createdAt' | 'nextAt' | 'attempts' | 'expiresAt' | 'reason'> & {
  nextAt?: Date;
};

export type MailQueue = ReturnType<typeof createMailQueue>;

/**
 * The emails to send, in a collection that all servers share. An email is durable once `add` has
 * resolved. It is sent twice only if a server dies, or loses the database, after the SMTP server
 * took the email and before that is stored.
 *
 * @param now the clock; another one in tests only
 */
export function createMailQueue(mails: MailCollection, now: () => number = Date.now) {
  const done = (state: MailDocument['state'], reason?: string) => ({
    $set: { state, expiresAt: new Date(now() + KEEP_MS), ...(reason !== undefined && { reason }) },
  });

  return {
    /** Plans emails. One whose `_id` exists, in any state, is left as it is. */
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
        // Two servers that tell one cause at the same time.
        if (!isOnlyDuplicates(error)) throw error;
      }
    },

    /** Resolves with the ids of at most `count` emails that are due, the longest waiting first. */
    async dueIds(count: number): Promise<string[]> {
      const due = { state: 'due', nextAt: { $lte: new Date(now()) } } as const;
      const found = await mails
        .find(due, { projection: { _id: 1 } })
        .sort({ nextAt: 1 })
        .limit(count)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /**
     * Claims an email, so that no other server sends it for {@link CLAIM_MS}; undefined when it is
     * not due any more.
     */
    async claim(_id: string): Promise<MailDocument | undefined> {
      const due = { _id, state: 'due', nextAt: { $lte: new Date(now()) } } as const;
      const update = { $set: { nextAt: new Date(now() + CLAIM_MS) }, $inc: { attempts: 1 } };
      return (await mails.findOneAndUpdate(due, update, { returnDocument: 'after' })) ?? undefined;
    },

    /**
     * Extends a claim to {@link CLAIM_MS} from now, and stores the hash of an address that needs no
     * further attempt. Resolves with false when another server claimed the email.
     */
    async extendClaim(
      { _id, attempts }: MailDocument,
      settled: { taken?: string; refused?: string },
    ): Promise<boolean> {
      const isSettled = Object.keys(settled).length > 0;
      const update = {
        $set: { nextAt: new Date(now() + CLAIM_MS) },
        ...(isSettled && { $addToSet: settled }),
      };
      return (await mails.updateOne({ _id, state: 'due', attempts }, update)).matchedCount === 1;
    },

    /**
     * Stores what became of an email that was claimed. Does nothing after another server took it.
     */
    async settle({ _id, attempts }: MailDocument, result: MailResult): Promise<void> {
      const own = { _id, state: 'due', attempts } as const;
      if (result.state !== 'retry') {
        await mails.updateOne(own, done(result.state, result.reason));
        return;
      }
      const wait = RETRY_AFTER_MS[attempts - 1];
      const { reason = 'UNKNOWN' } = result;
      const later = { $set: { nextAt: new Date(now() + (wait ?? 0)), reason } };
      const last = result.isTaken ? 'sent' : 'failed';
      await mails.updateOne(own, wait === undefined ? done(last, reason) : later);
    },

    /** Resolves with whether an email was planned, in any state. */
    exists: async (_id: string): Promise<boolean> =>
      (await mails.findOne({ _id }, { projection: { _id: 1 } })) !== null,

    /** Resolves with the number of changes that a summary counts. */
    countSummed: (summary: string): Promise<number> => mails.countDocuments({ summary }),

    /** Deletes the emails about records, sent or not; resolves with their number. */
    removeOf: async (appId: ObjectId, ...recordIds: RecordId[]): Promise<number> =>
      (await mails.deleteMany({ appId, recordId: { $in: recordIds } })).deletedCount,
  };
}

/**
 * What became of an email. `retry`: it failed for some addresses, and is tried again for these
 * later unless it was the last attempt.
 */
export interface MailResult {
  state: 'sent' | 'failed' | 'dropped' | 'retry';
  reason?: string | undefined;
  /** Whether the SMTP server took it for at least one address. */
  isTaken?: boolean;
}

const BATCH_SIZE = 100;

/**
 * The emails about a person. They name the record and not the person, so they are found by the
 * records of the email and come before these in an erasure.
 */
export function createMailsOfPerson(mails: MailCollection, records: Pick<RecordReader, 'idsOfPerson'>): PersonData {
  return {
    name: 'mails',

    async *entriesOf(appIds, email) {
      const ids = await records.idsOfPerson(appIds, email);
      const options = { hint: { recordId: 1 }, batchSize: BATCH_SIZE } as const;
      for await (const { _id, appId, purpose, state, createdAt } of mails.find({ recordId: { $in: ids } }, options)) {
        yield { appId, shown: { kind: 'mail', id: _id, purpose, state, at: createdAt.toISOString() } };
      }
    },

    async eraseOf(appIds, email) {
      const ids = await records.idsOfPerson(appIds, email);
      return (await mails.deleteMany({ recordId: { $in: ids } }, { hint: { recordId: 1 } })).deletedCount;
    },
  };
}
