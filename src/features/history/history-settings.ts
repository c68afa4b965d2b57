import type { ObjectId } from 'mongodb';
import { z } from 'zod';
import type { AppDocument } from '../../core/apps/app.ts';
import type { AppPart } from '../../core/apps/app-part.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import { AppNotFound } from '../../platform/core/errors.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { type DocumentOf, type MembersOf, schema } from '../../platform/database/mongoose.ts';
import { component, daysUpTo } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';

/** Whether submissions are part of the history of records, and how many days entries are kept. */
const historySchema = schema({
  submissions: { type: Boolean, required: true },
  days: { type: Number, required: true },
});
type HistorySettings = DocumentOf<typeof historySchema>;

export const MAX_HISTORY_DAYS = 3_650;
const DEFAULTS: HistorySettings = { submissions: false, days: 90 };

/** Spec 4.3.5. */
export const HistorySettingsBody = component('HistorySettings', {
  submissions: z
    .boolean(code('notBoolean'))
    .default(DEFAULTS.submissions)
    .meta({ description: 'Whether submissions are kept as they came, in the inbox and the history', example: true }),
  days: daysUpTo(MAX_HISTORY_DAYS)
    .default(DEFAULTS.days)
    .meta({ description: 'How long entries and submissions are kept', example: 90 }),
});

/** The consumer of events that keeps submissions (features/history/kept-submissions.ts). */
const KEEPER = 'submissions';

const members = {
  /** Absent: without submissions, for 90 days. */
  history: historySchema,
};

declare module '../../core/apps/app.ts' {
  interface AppDocument extends MembersOf<typeof members> {}
  interface App {
    /** Whether submissions are part of the history of records (spec 4.3.5). */
    keepsSubmissions?: boolean;
  }
}

export const historyPart: AppPart = {
  members,
  read: ({ history }) => ({ keepsSubmissions: history?.submissions === true }),
};

/** Returns the members of a new app with these settings. */
export const historyMembers = (history: HistorySettings): Partial<AppDocument> => ({
  history,
  ...(history.submissions && { consumers: [KEEPER] }),
});

export type HistorySettingsStore = ReturnType<typeof createHistorySettings>;

/** The settings of the history in the documents of apps. */
export function createHistorySettings(apps: AppModel, revision: AppRevision) {
  return {
    /** @throws {NotFound} */
    async get(_id: ObjectId): Promise<HistorySettings> {
      const app = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: { history: 1 } });
      if (!app) throw new AppNotFound();
      return app.history ?? DEFAULTS;
    },

    /**
     * They are in force on every server once this resolves, with the replaced ones.
     * @throws {NotFound}
     */
    async replace(_id: ObjectId, history: HistorySettings, until: Until): Promise<HistorySettings> {
      const filter = { _id, ...NOT_BEING_DELETED, ...beginsBefore(await until()) };
      const consumers = { consumers: KEEPER };
      // In the same step, so that an event is stored of each submission that is kept.
      const update = { $set: { history }, ...(history.submissions ? { $addToSet: consumers } : { $pull: consumers }) };
      const before = await apps.findOneAndUpdate(filter, update, {
        projection: { history: 1 },
        returnDocument: 'before',
      });
      if (!before) throw new AppNotFound();
      await revision.publish();
      return before.history ?? DEFAULTS;
    },
  };
}
