import type { ObjectId } from 'mongodb';
import type { AppPart } from '../../core/apps/app-part.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import { isOfClockSetBack } from '../../platform/database/clock.ts';
import { type MembersOf, schema } from '../../platform/database/mongoose.ts';

/** The emails of an app in the latest hour that has any, by MongoDB's clock. */
const mailCountsSchema = schema({
  /**
   * The last hour for which confirmation emails are planned, and their number. `at`: the time of
   * the last one that was planned.
   */
  confirmation: schema({ hour: { type: Date, required: true }, count: { type: Number, required: true }, at: Date }),
  /** `summed`: changes that the summary counts; `share`: the latest additions to both. */
  each: schema({
    hour: { type: Date, required: true },
    count: { type: Number, required: true },
    summed: { type: Number, required: true },
    share: { type: [Number], required: true },
  }),
});

const members = { mailCounts: mailCountsSchema };

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
}

export const mailCountPart: AppPart = { members };

/** The limits of emails in an hour, of one app but for `allReplies` (spec 8). */
export const MAIL_LIMITS = {
  /** Further confirmation emails are sent in later hours. */
  confirmations: 1_000,
  /** Emails about single changes. The summary of the hour counts further ones. */
  each: 60,
  /** The changes that a summary counts. */
  summed: 10_000,
  /** Replies of one app, and of all apps. Beyond them none is sent. */
  replies: 1_000,
  allReplies: 5_000,
};
export type MailLimits = typeof MAIL_LIMITS;

const MAX_HOURS_AHEAD = 24;

const HOUR_MS = 3_600_000;
const NEVER = new Date(0);

export type MailRates = ReturnType<typeof createMailRates>;

/** Limits emails over all servers, by MongoDB's clock. A repeated event only lowers a limit. */
export function createMailRates(apps: AppModel, given: Partial<MailLimits> = {}) {
  const limits = { ...MAIL_LIMITS, ...given };
  const thisHour = { $dateTrunc: { date: '$$NOW', unit: 'hour' } };

  /** Resolves with the counts after a change; undefined when the app is deleted. */
  async function change(appId: ObjectId, $set: Record<string, object>) {
    const options = { projection: { mailCounts: 1 }, returnDocument: 'after' } as const;
    // By the collection: a pipeline.
    return (await apps.collection.findOneAndUpdate({ _id: appId, ...NOT_BEING_DELETED }, [{ $set }], options))
      ?.mailCounts;
  }

  return {
    /** Returns when one email may be sent; undefined: all hours are full, or the app is deleted. */
    async confirmationTime(appId: ObjectId): Promise<Date | undefined> {
      const { confirmations: max } = limits;
      const hour = { $ifNull: ['$mailCounts.confirmation.hour', NEVER] };
      const count = { $ifNull: ['$mailCounts.confirmation.count', 0] };
      const last = { $add: [thisHour, MAX_HOURS_AHEAD * HOUR_MS] };
      const inNextHour = { hour: { $add: [hour, HOUR_MS] }, count: 1 };
      // Full: the count exceeds the limit by one.
      const beyond = { $cond: [{ $gte: [hour, last] }, { hour, count: max + 1 }, inNextHour] };
      const counted = { $cond: [{ $lt: [count, max] }, { hour, count: { $add: [count, 1] } }, beyond] };
      const begins = { $or: [isOfClockSetBack('$mailCounts.confirmation.at'), { $lt: [hour, thisHour] }] };
      const reservation = { $cond: [begins, { hour: thisHour, count: 1 }, counted] };
      const next = { $mergeObjects: [reservation, { at: '$$NOW' }] };
      const reserved = (await change(appId, { 'mailCounts.confirmation': next }))?.confirmation;
      return reserved && reserved.count <= max ? reserved.hour : undefined;
    },

    /**
     * Resolves with this hour and how many of `wished` emails are sent in it or counted by its
     * summary; the others are neither. Undefined when the app is deleted.
     */
    async shareOfHour(appId: ObjectId, wished: number) {
      const { each: max, summed: maxSummed } = limits;
      const isOld = { $lt: [{ $ifNull: ['$mailCounts.each.hour', NEVER] }, thisHour] };
      const was = (member: string) => ({ $cond: [isOld, 0, { $ifNull: [`$mailCounts.each.${member}`, 0] }] });
      const single = { $min: [wished, { $subtract: [max, was('count')] }] };
      const summed = { $min: [{ $subtract: [wished, single] }, { $subtract: [maxSummed, was('summed')] }] };
      const next = {
        hour: thisHour,
        count: { $add: [was('count'), single] },
        summed: { $add: [was('summed'), summed] },
        share: [single, summed],
      };
      // The result of an operator replaces the stored document; a literal is merged into it.
      const reserved = (await change(appId, { 'mailCounts.each': { $mergeObjects: [next] } }))?.each;
      if (!reserved) return undefined;
      const [ownSingle = 0, ownSummed = 0] = reserved.share;
      const end = new Date(reserved.hour.getTime() + HOUR_MS);
      return { hour: reserved.hour, end, single: ownSingle, summed: ownSummed };
    },
  };
}
