import type { ObjectId } from 'mongodb';
import { beginsBefore } from '../../platform/database/clock.ts';
import { KEEP_DUE_MS, LOG_OF_APP, type MailCollection, type MailDocument } from './mail-queue.ts';
import { purposesOf, type ShownPurpose, type ShownState, statesOf } from './shown-mail.ts';

export interface MailPlace {
  createdAt: Date;
  _id: string;
}

/** The most waiting emails that are counted. */
const MAX_COUNTED = 10_000;
const WATCH_WITHIN_MS = 1_000;
const WAITING = { state: 'due' } as const;
const BY_TIME = { nextAt: 1 } as const;

export type MailLog = ReturnType<typeof createMailLog>;

/** Reads the emails of apps for operators, and repeats failed ones. @param now that of the queue */
export function createMailLog(mails: MailCollection, now: () => number) {
  return {
    /** Resolves with a page of the emails of an app, newest first. */
    page(
      appId: ObjectId,
      of: { state: ShownState | undefined; purpose: ShownPurpose | undefined },
      { after, limit }: { after: MailPlace | undefined; limit: number },
    ): Promise<MailDocument[]> {
      const filter = {
        appId,
        purpose: { $in: purposesOf(of.purpose) },
        state: { $in: statesOf(of.state) },
        ...(after && {
          createdAt: { $lte: after.createdAt },
          $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after._id } }],
        }),
      };
      return mails.find(filter, { sort: { createdAt: -1, _id: -1 }, limit, hint: LOG_OF_APP }).toArray();
    },

    /** Resolves with an email that operators see, or undefined. */
    find: async (appId: ObjectId, _id: string): Promise<MailDocument | undefined> =>
      (await mails.findOne({ _id, appId, state: { $in: statesOf(undefined) } })) ?? undefined,

    /**
     * Plans a failed email again, in the state that was read: its attempts begin again, now.
     * Resolves with it; undefined when another request or server changed it.
     * @param before the statement may not begin later
     */
    async repeat({ _id, appId, attempts }: MailDocument, before: Date): Promise<MailDocument | undefined> {
      const nextAt = new Date(now());
      // The number of attempts stays: a server that stalled in an earlier one must not settle this.
      const update = {
        $set: {
          state: 'due' as const,
          nextAt,
          expiresAt: new Date(nextAt.getTime() + KEEP_DUE_MS),
          repeatedAfter: attempts,
        },
        $unset: { reason: 1, bounced: 1, refused: 1 },
      } as const;
      const asRead = { _id, appId, state: 'failed' as const, attempts, ...beginsBefore(before) };
      return (await mails.findOneAndUpdate(asRead, update, { returnDocument: 'after' })) ?? undefined;
    },

    /** Resolves with the number of emails that wait, at most {@link MAX_COUNTED}. */
    countWaiting: (): Promise<number> =>
      mails.countDocuments(WAITING, { hint: BY_TIME, limit: MAX_COUNTED, maxTimeMS: WATCH_WITHIN_MS }),

    /** Resolves with the milliseconds for which the oldest email is due; 0 when none is. */
    async oldestMs(): Promise<number> {
      const options = { projection: { nextAt: 1 }, sort: BY_TIME, hint: BY_TIME, maxTimeMS: WATCH_WITHIN_MS } as const;
      const oldest = await mails.findOne(WAITING, options);
      return oldest ? Math.max(0, now() - oldest.nextAt.getTime()) : 0;
    },
  };
}
