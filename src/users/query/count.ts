import type { Types } from 'mongoose';
import { isOverTime } from '../../database/failures.ts';
import type { ReadQueues } from '../read-queues.ts';
import type { UserCollection } from '../users.model.ts';
import { allOf, type Filter } from './conditions/filter.ts';
import { hintOf } from './plan/index-range.ts';
import type { Segment } from './plan/segment.ts';
import { type Budget, NO_LIMIT, type Walker } from './walk.ts';

/** A capped count ends here (spec 8). */
export const COUNT_CAP = 10_000;

/**
 * A number of matches. `exact`: it is their number. `capped`: there are more than it, and the count
 * ended at its cap. `partial`: there may be more, and the count ended with its time.
 */
export interface Total {
  total: number;
  totalIs: 'exact' | 'capped' | 'partial';
}

/** The longest time for a count that reads index keys alone. */
const KEYS_TIME_MS = 1_000;
const STEP_LIMIT = 10_000;

/**
 * Counts the matches of the segments, at most up to `cap`.
 *
 * @param budget bounds a count that has to read records
 */
export async function countMatches(
  { users, walker, queues }: { users: UserCollection; walker: Walker; queues: ReadQueues },
  appId: Types.ObjectId,
  segments: readonly Segment[],
  { cap = Number.POSITIVE_INFINITY, budget = NO_LIMIT }: { cap?: number; budget?: Budget },
): Promise<Total> {
  let total = 0;
  for (const segment of segments) {
    const counted = await countSegment(segment, cap - total);
    total += counted.total;
    if (total > cap) return { total: cap, totalIs: 'capped' };
    if (!counted.isWhole) return { total, totalIs: 'partial' };
  }
  return { total, totalIs: 'exact' };

  async function countSegment(segment: Segment, most: number): Promise<{ total: number; isWhole: boolean }> {
    const keys = await countKeys(segment, most);
    if (keys !== undefined) return { total: keys, isWhole: true };
    let counted = 0;
    let isWhole = false;
    const reading = () => ({ limit: Math.min(STEP_LIMIT, most + 1 - counted) });
    for await (const step of walker.walk(appId, [segment], undefined, reading, budget)) {
      counted += step.documents.length;
      isWhole = step.next === undefined;
      if (counted > most) break;
    }
    return { total: counted, isWhole };
  }

  /** Counts in the database, when the index alone answers and its answer comes soon. */
  async function countKeys(segment: Segment, most: number): Promise<number | undefined> {
    const { index, bounds, filter, isOfKeys } = segment;
    const isWhole = bounds.conditions === undefined;
    if (!isOfKeys || (isWhole && index !== 'id' && index !== 'email')) return undefined;
    const conditions = (isWhole ? {} : { [index === 'id' ? '_id' : index]: bounds.conditions }) as Filter;
    const maxTimeMS = Math.max(1, Math.ceil(Math.min(KEYS_TIME_MS, budget.leftMs())));
    try {
      return await queues.scan(appId, () =>
        users.countDocuments(allOf({ appId } as Filter, conditions, filter), {
          ...{ hint: hintOf(index), maxTimeMS },
          ...(Number.isFinite(most) && { limit: most + 1 }),
        }),
      );
    } catch (error) {
      if (isOverTime(error)) return undefined;
      throw error;
    }
  }
}
