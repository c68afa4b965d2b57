import type { Filter, ObjectId, UpdateFilter } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import { changing } from '../../platform/database/filters.ts';
import { type Lookup, lookup } from '../../platform/database/lookups.ts';
import type { IndexSlot, IndexUse } from './index-slots.ts';

const MAX_OPEN = 200;

const OPEN = { $in: ['building', 'dropping'] };

/** The clocks of servers and of MongoDB may differ so much; then a check of words is late. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** An app with uses of an index to build or to drop, or with records to check. */
export interface OpenApp<Use extends IndexUse> {
  appId: ObjectId;
  uses: Use[];
  /** Grows with each change of the uses. */
  slotEpoch: number;
  now: Date;
}

export type IndexUses<Use extends IndexUse> = ReturnType<typeof createIndexUses<Use>>;

/**
 * The uses of index slots, or of the index of words, in `apps`, and their progress. No method
 * changes apps that are being deleted, or uses that were replaced.
 */
export function createIndexUses<Use extends IndexUse>(apps: AppModel, member: 'slots' | 'words') {
  const isList = member === 'slots';
  const uses = isList ? '$slots' : ['$words'];
  const path = isList ? 'slots.$[use]' : 'words';

  const update = (appId: ObjectId, uses: readonly IndexUse[], change: UpdateFilter<AppDocument>) => {
    const live = { _id: appId, ...NOT_BEING_DELETED };
    if (!isList) return apps.updateOne({ ...live, ...unchanged('words', uses) }, change);
    return apps.updateOne({ ...live, slots: { $exists: true } }, change, { arrayFilters: [unchanged('use', uses)] });
  };

  function openNow(): Filter<AppDocument> {
    const isDue = { $anyElementTrue: [{ $map: { input: uses, in: DUE } }] };
    // Every app with an index of words has a next check; most of them are not due.
    const mayBeDue = isList ? { $exists: true } : { $lte: new Date(Date.now() + CLOCKS_DIFFER_MS) };
    const isOpen = { [`${member}.state`]: OPEN };
    const candidates = { $or: [isOpen, { [`${member}.checkAt`]: mayBeDue }], ...NOT_BEING_DELETED };
    return { $and: [candidates, { $or: [isOpen, { $expr: isDue }] }] };
  }

  return {
    /** Looks for an app that {@link open} would read. */
    anyOpen: (): Lookup => lookup(apps.collection, openNow()),

    /** Apps with uses to build or to drop, or with records to check now. */
    open(): Promise<OpenApp<Use>[]> {
      const pipeline = [
        { $match: openNow() },
        { $limit: MAX_OPEN },
        { $project: { _id: 0, appId: '$_id', uses, slotEpoch: { $ifNull: ['$slotEpoch', 0] }, now: '$$NOW' } },
      ];
      // By the collection: an aggregation.
      return apps.collection.aggregate<OpenApp<Use>>(pipeline).toArray();
    },

    /** Stores that every server knows the state of this use, and whether the app has no record. */
    async setKnown(appId: ObjectId, use: Use, isEmpty: boolean): Promise<void> {
      const change = { $currentDate: { [`${path}.knownAt`]: true }, $set: { [`${path}.isEmpty`]: isEmpty } };
      await update(appId, [use], changing<AppDocument>(change));
    },

    /** Stores the progress of uses in one state. */
    async advance(
      appId: ObjectId,
      uses: readonly Use[],
      progress: Partial<Pick<IndexUse, 'done' | 'total' | 'position'>>,
    ): Promise<void> {
      const set = Object.fromEntries(Object.entries(progress).map(([name, value]) => [`${path}.${name}`, value]));
      await update(appId, uses, { $set: set });
    },

    /**
     * Makes built uses of `total` records ready, or ends a check of ready ones. `checkAt`: the time
     * of the next check; undefined: none follows.
     */
    async finish(appId: ObjectId, uses: readonly Use[], total: number, checkAt: Date | undefined): Promise<void> {
      const isBuilt = uses[0]?.state === 'building';
      const set = {
        ...(isBuilt && { [`${path}.state`]: 'ready', [`${path}.done`]: total, [`${path}.total`]: total }),
        ...(checkAt && { [`${path}.checkAt`]: checkAt }),
        ...(isBuilt && checkAt && { [`${path}.checks`]: 0 }),
      };
      const ended = ['knownAt', 'isEmpty', 'position', ...(checkAt ? [] : ['checkAt'])];
      await update(
        appId,
        uses,
        changing<AppDocument>({
          ...(Object.keys(set).length > 0 && { $set: set }),
          $unset: Object.fromEntries(ended.map((name) => [`${path}.${name}`, 1])),
          ...(!isBuilt && { $inc: { [`${path}.checks`]: 1 } }),
        }),
      );
    },

    /** Ends a use whose index was dropped. */
    async remove(appId: ObjectId, use: Use): Promise<void> {
      const { id } = use;
      if (isList) await apps.updateOne({ _id: appId }, { $pull: { slots: { id, state: 'dropping' } } });
      else await update(appId, [use], { $unset: { words: 1 } });
    },
  };
}

/** Whether a use is to be checked. Absent times come first in MongoDB's order. */
const DUE = { $and: [{ $gt: ['$$this.checkAt', null] }, { $lte: ['$$this.checkAt', '$$NOW'] }] };

/** Matches these uses in their present state and check. */
function unchanged(name: string, uses: readonly IndexUse[]): Record<string, unknown> {
  const [{ state, checkAt } = {} as Partial<IndexSlot>] = uses;
  return {
    [`${name}.id`]: { $in: uses.map(({ id }) => id) },
    [`${name}.state`]: state,
    [`${name}.checkAt`]: checkAt ?? { $exists: false },
  };
}
