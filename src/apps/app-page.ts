import type { Filter } from 'mongodb';
import { literal } from '../database/collections.ts';
import type { AppOrder } from './apps.contract.ts';
import { type AppCollection, type AppDocument, NOT_BEING_DELETED } from './apps.model.ts';

/** The last app of the previous page: its name, and its time if the order has one. */
export interface AppPlace {
  sourceAppId: string;
  time?: Date | null;
}

export interface AppPageRequest {
  /** A part of `sourceAppId`, in any case. */
  q: string;
  sort: AppOrder;
  direction: 1 | -1;
  after?: AppPlace | undefined;
  limit: number;
}

/** Resolves with a page of apps; ties are ordered by `sourceAppId`, in the same direction. */
export function findAppPage(
  apps: AppCollection,
  { q, sort, direction, after, limit }: AppPageRequest,
): Promise<AppDocument[]> {
  const parts: Filter<AppDocument>[] = [NOT_BEING_DELETED];
  if (q !== '') parts.push({ sourceAppId: { $regex: literal(q), $options: 'i' } });
  if (after) parts.push(laterThan(after, sort, direction));
  const order = sort === 'sourceAppId' ? { sourceAppId: direction } : { [sort]: direction, sourceAppId: direction };
  return apps.find({ $and: parts }).sort(order).limit(limit).toArray();
}

/** Returns the place after which the next page begins. */
export function parsePlace(
  app: { sourceAppId: string; createdAt: Date; lastSubmissionAt?: Date | undefined },
  sort: AppOrder,
): AppPlace {
  const { sourceAppId } = app;
  return sort === 'sourceAppId' ? { sourceAppId } : { sourceAppId, time: app[sort] ?? null };
}

function laterThan({ sourceAppId, time = null }: AppPlace, sort: AppOrder, direction: 1 | -1): Filter<AppDocument> {
  const beyond = direction === 1 ? '$gt' : '$lt';
  const name = { sourceAppId: { [beyond]: sourceAppId } } as Filter<AppDocument>;
  if (sort === 'sourceAppId') return name;
  const tie = { [sort]: time, ...name } as Filter<AppDocument>;
  // An app without the time comes first in ascending order.
  if (time === null) return direction === 1 ? { $or: [{ [sort]: { $ne: null } }, tie] } : tie;
  const others = direction === 1 ? [] : [{ [sort]: null }];
  return { $or: [{ [sort]: { [beyond]: time } }, ...others, tie] };
}
