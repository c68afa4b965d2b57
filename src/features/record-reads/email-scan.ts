import type { ObjectId } from 'mongodb';
import { BY_EMAIL, type RecordFilter, type UserCollection } from '../../core/users/users.model.ts';
import type { DocumentId } from '../../platform/bson/documents.ts';
import { isOverTime } from '../../platform/database/failures.ts';
import type { Budget } from './ranges.ts';
import { allOf } from './record-filters.ts';

const TIME_MS = 700;
/** Apps whose emails one query compares. Fewer after a query that took too long. */
const MAX_APPS = 500;
/** Emails that one query compares in an app whose emails take too long. */
const RANGE = 20_000;

type AppIds = (after: ObjectId | undefined, count: number) => Promise<ObjectId[]>;

/** After an app, or after an email of it. */
export interface EmailPlace {
  appId: ObjectId;
  email?: string | undefined;
}

/** Finds at most `limit` records of all apps within the budget, and where it continues. */
export type EmailScan = ReturnType<typeof createEmailScan>;

/** An index on emails alone would be written by every submission, so queries name some apps. */
export function createEmailScan(users: UserCollection, appIds: AppIds) {
  const matches = (scope: RecordFilter, conditions: RecordFilter, limit: number) =>
    users
      .find<{ _id: DocumentId; appId: ObjectId; email: string }>(allOf(scope, conditions), {
        projection: { _id: 1, appId: 1, email: 1 },
        hint: BY_EMAIL,
        sort: BY_EMAIL,
        limit,
        maxTimeMS: TIME_MS,
      })
      .toArray();

  /** The email `RANGE` emails after another one of an app. */
  async function emailAfter(inApp: RecordFilter): Promise<string | undefined> {
    const options = { projection: { _id: 0, email: 1 }, hint: BY_EMAIL, sort: BY_EMAIL, maxTimeMS: TIME_MS } as const;
    const [end] = await users.find(inApp, options).skip(RANGE).limit(1).toArray();
    return end?.email;
  }

  return async (
    conditions: RecordFilter,
    { start, limit, budget }: { start: EmailPlace | undefined; limit: number; budget: Budget },
  ): Promise<{ ids: DocumentId[]; after: EmailPlace | undefined; isEnd: boolean }> => {
    const ids: DocumentId[] = [];
    let after = start;
    let count = MAX_APPS;
    do {
      const { appId, email: from }: Partial<EmailPlace> = after ?? {};
      const apps = appId && from !== undefined ? [appId] : await appIds(appId, count);
      const last = apps.at(-1);
      if (!last) return { ids, after, isEnd: true };
      const scope: RecordFilter = { appId: { $in: apps }, ...(from !== undefined && { email: { $gt: from } }) };
      const add = async (part: RecordFilter): Promise<EmailPlace | undefined> => {
        const page = await matches(part, conditions, limit - ids.length);
        ids.push(...page.map(({ _id }) => _id));
        const end = page.at(-1);
        return ids.length === limit && end ? { appId: end.appId, email: end.email } : undefined;
      };
      try {
        after = (await add(scope)) ?? { appId: last };
      } catch (error) {
        if (!isOverTime(error)) throw error;
        if (apps.length > 1) {
          count = Math.max(1, Math.floor(count / 8));
          continue;
        }
        const email = await emailAfter(scope);
        const part = email === undefined ? scope : allOf(scope, { email: { $lte: email } });
        after = (await add(part)) ?? { appId: last, email };
      }
    } while (ids.length < limit && budget.leftMs() > 0);
    return { ids, after, isEnd: false };
  };
}
