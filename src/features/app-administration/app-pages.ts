import type { Filter } from 'mongodb';
import type { App, AppDocument, Role } from '../../core/apps/app.ts';
import { NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { Apps } from '../../core/apps/apps.ts';
import { literal } from '../../platform/database/collections.ts';
import { typedFilter } from '../../platform/database/filters.ts';

/** The members by which a list of apps can be sorted. */
export const APP_ORDERS = ['sourceAppId', 'createdAt', 'lastSubmissionAt'] as const;
type AppOrder = (typeof APP_ORDERS)[number];

export type AppPages = ReturnType<typeof createAppPages>;

/** Creates the read of a page of apps; ties are ordered by `sourceAppId`, in the same direction. */
export function createAppPages({ model, parts: { toApp } }: Pick<Apps, 'model' | 'parts'>) {
  return async ({ q, role, sort, direction, after, limit }: AppPageRequest): Promise<App[]> => {
    const conditions: Filter<AppDocument>[] = [NOT_BEING_DELETED];
    if (role) conditions.push({ role });
    const matching = { $regex: literal(q), $options: 'i' };
    if (q !== '') conditions.push({ $or: [{ sourceAppId: matching }, { 'form.name': matching }] });
    if (after) conditions.push(laterThan(after, sort, direction));
    const order = sort === 'sourceAppId' ? { sourceAppId: direction } : { [sort]: direction, sourceAppId: direction };
    return (await model.find({ $and: conditions }, { sort: order, limit })).map(toApp);
  };
}

/** The last app of the previous page: its name, and its time if the order has one. */
export interface AppPlace {
  sourceAppId: string;
  time?: Date | null;
}

interface AppPageRequest {
  /** A part of `sourceAppId`, in any case. */
  q: string;
  /** Default: any. */
  role?: Role;
  sort: AppOrder;
  direction: 1 | -1;
  after?: AppPlace | undefined;
  limit: number;
}

/** Returns the place after which the next page begins. */
export function placeOf(app: Pick<App, AppOrder>, sort: AppOrder): AppPlace {
  const { sourceAppId } = app;
  return sort === 'sourceAppId' ? { sourceAppId } : { sourceAppId, time: app[sort] ?? null };
}

function laterThan({ sourceAppId, time = null }: AppPlace, sort: AppOrder, direction: 1 | -1): Filter<AppDocument> {
  const beyond = direction === 1 ? '$gt' : '$lt';
  const name = typedFilter<AppDocument>({ sourceAppId: { [beyond]: sourceAppId } });
  if (sort === 'sourceAppId') return name;
  const tie = typedFilter<AppDocument>({ [sort]: time, ...name });
  // An app without the time comes first in ascending order.
  if (time === null) return direction === 1 ? { $or: [{ [sort]: { $ne: null } }, tie] } : tie;
  const others = direction === 1 ? [] : [{ [sort]: null }];
  return { $or: [{ [sort]: { [beyond]: time } }, ...others, tie] };
}
