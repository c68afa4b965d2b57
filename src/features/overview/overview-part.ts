import type { Document, ObjectId } from 'mongodb';
import type { Collection } from '../../platform/database/collections.ts';

/** What is read for an overview. */
export interface OverviewRead {
  appIds: readonly ObjectId[];
  /** The first of its days. */
  since: Date;
  /** The time for the statement. */
  maxTimeMS: number;
}

/** Resolves with a number by the id of each app in hexadecimal. An app without one has 0. */
type ReadNumbers = (read: OverviewRead) => Promise<ReadonlyMap<string, number>>;

/** The numbers of an app in the overview (spec 4.3.8). */
export const OVERVIEW_NUMBERS = ['users', 'held', 'webhooksFailing', 'mailsFailing', 'filesBytes'] as const;
export type OverviewNumber = (typeof OVERVIEW_NUMBERS)[number];

declare module '../../core/feature.ts' {
  interface Feature {
    /** The numbers of apps that the feature tells. */
    overview?: Partial<Record<OverviewNumber, ReadNumbers>>;
  }
}

/**
 * Reads a number for each app in one statement, by default how many documents match.
 * @param by.of the member with the id of the app @param by.sum a number of each document
 */
export async function numbersByApp<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'aggregate'>,
  { appIds, maxTimeMS }: Pick<OverviewRead, 'appIds' | 'maxTimeMS'>,
  by: { of?: string; where?: Document; sum?: string; hint?: Readonly<Record<string, 1 | -1>> } = {},
): Promise<ReadonlyMap<string, number>> {
  const { of = 'appId', where = {}, sum = 1, hint } = by;
  const stages = [
    { $match: { [of]: { $in: [...appIds] }, ...where } },
    { $group: { _id: `$${of}`, count: { $sum: typeof sum === 'string' ? `$${sum}` : sum } } },
  ];
  const groups = collection.aggregate<{ _id: ObjectId; count: number }>(stages, { maxTimeMS, ...(hint && { hint }) });
  return new Map((await groups.toArray()).map(({ _id, count }) => [_id.toHexString(), count]));
}
