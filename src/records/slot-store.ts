import { type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import type { AppCollection, AppDocument } from '../apps/apps.model.ts';
import { type IndexSlot, isCurrentVersion, ofEpoch, SLOT_NAMES, type SlotName } from '../apps/index-slots.ts';
import { INDEX_VERSION } from '../fields/base/index-value.ts';
import { type FieldDefinition, isIndexed } from '../fields/definition.ts';

/** The most apps that one step works on. */
const MAX_OPEN = 200;

const OPEN = { $in: ['building', 'dropping'] };
const LIVE = { deletingSince: { $exists: false } };

/** The slots of an app. */
interface AppSlots {
  appId: ObjectId;
  slots: IndexSlot[];
  /** Grows with each change of `slots`. */
  slotEpoch: number;
}

/** An app with slots that are being built or dropped, or whose records are to be checked. */
export interface OpenApp extends AppSlots {
  /** The time of MongoDB's clock. */
  now: Date;
}

export type SlotStore = ReturnType<typeof createSlotStore>;

/**
 * The uses of slots in the documents of apps. Each method changes nothing in an app that was
 * deleted or whose slots were changed meanwhile.
 */
export function createSlotStore(apps: AppCollection) {
  const update = (appId: ObjectId, change: UpdateFilter<AppDocument>, arrayFilters: { [member: string]: unknown }[]) =>
    apps.updateOne({ _id: appId, ...LIVE, slots: { $exists: true } }, change, { arrayFilters });

  return {
    /** The ids of all apps that use slots. */
    async appIds(): Promise<ObjectId[]> {
      const found = await apps.find({ 'slots.state': { $exists: true } }, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    },

    /** The slots of those of these apps that exist. */
    async ofApps(appIds: readonly ObjectId[]): Promise<AppSlots[]> {
      const projection = { slots: 1, slotEpoch: 1 };
      const found = await apps.find({ _id: { $in: [...appIds] }, ...LIVE }, { projection }).toArray();
      return found.map(({ _id, slots = [], slotEpoch = 0 }) => ({ appId: _id, slots, slotEpoch }));
    },

    /** Apps with slots that are being built or dropped, or whose records are to be checked now. */
    async open(): Promise<OpenApp[]> {
      const isDue = { $anyElementTrue: [{ $map: { input: '$slots', in: DUE } }] };
      const pipeline = [
        { $match: { $or: [{ 'slots.state': OPEN }, { 'slots.checkAt': { $exists: true } }], ...LIVE } },
        { $match: { $or: [{ 'slots.state': OPEN }, { $expr: isDue }] } },
        { $limit: MAX_OPEN },
        { $project: { _id: 0, appId: '$_id', slots: 1, slotEpoch: { $ifNull: ['$slotEpoch', 0] }, now: '$$NOW' } },
      ];
      return apps.aggregate<OpenApp>(pipeline).toArray();
    },

    /** Begins and ends uses. Resolves with whether the slots were still those of the plan. */
    async assign({ appId, slots, slotEpoch }: AppSlots, { drop, claim }: SlotPlan): Promise<boolean> {
      const since = slotEpoch + 1;
      const kept = slots.map((slot): IndexSlot => {
        if (!drop.includes(slot)) return slot;
        const { knownAt: _, position: __, checkAt: ___, ...rest } = slot;
        return { ...rest, state: 'dropping', done: 0 };
      });
      const claimed = claim.map(
        (one): IndexSlot => ({
          ...{ id: new ObjectId(), ...one, version: INDEX_VERSION },
          ...{ state: 'building', since, done: 0, total: 0 },
        }),
      );
      const isUnchanged = { slots: slots.length === 0 ? { $in: [[], null] } : slots, ...ofEpoch(slotEpoch) };
      const { matchedCount } = await apps.updateOne({ _id: appId, ...LIVE, ...isUnchanged } as Filter<AppDocument>, {
        $set: { slots: [...kept, ...claimed], slotEpoch: since },
      });
      return matchedCount === 1;
    },

    /**
     * Makes the epoch of an app's slots at least this one, which a record has. It is higher than
     * that of the app only after a restore: of `apps` from an earlier time than `users`.
     */
    async catchUp(appId: ObjectId, slotEpoch: number): Promise<void> {
      await apps.updateOne({ _id: appId, ...LIVE }, { $max: { slotEpoch } });
    },

    /** Notes that every server knows the states of these uses. */
    async setKnown(appId: ObjectId, uses: readonly IndexSlot[]): Promise<void> {
      for (const { id, state } of uses) {
        await update(appId, { $currentDate: { 'slots.$[use].knownAt': true } }, [{ 'use.id': id, 'use.state': state }]);
      }
    },

    /** Notes the progress of uses in one state. */
    async advance(
      appId: ObjectId,
      uses: readonly IndexSlot[],
      progress: Partial<Pick<IndexSlot, 'done' | 'total' | 'position'>>,
    ): Promise<void> {
      const set = Object.fromEntries(Object.entries(progress).map(([name, value]) => [`slots.$[use].${name}`, value]));
      await update(appId, { $set: set }, [which(uses)]);
    },

    /** Ends the build of these uses: they are ready. @param checkAt when they are checked first */
    async finish(appId: ObjectId, uses: readonly IndexSlot[], total: number, checkAt?: Date): Promise<void> {
      const set = { 'slots.$[use].state': 'ready', 'slots.$[use].done': total, 'slots.$[use].total': total };
      const unset = { 'slots.$[use].knownAt': 1, 'slots.$[use].position': 1 } as const;
      const next = checkAt && { 'slots.$[use].checkAt': checkAt, 'slots.$[use].checks': 0 };
      await update(appId, { $set: { ...set, ...next }, $unset: unset }, [which(uses)]);
    },

    /** Ends a check of these uses. @param checkAt when the next one follows; undefined: never */
    async endCheck(appId: ObjectId, uses: readonly IndexSlot[], checkAt: Date | undefined): Promise<void> {
      const change = {
        $inc: { 'slots.$[use].checks': 1 },
        ...(checkAt && { $set: { 'slots.$[use].checkAt': checkAt } }),
        $unset: { 'slots.$[use].position': 1, ...(!checkAt && { 'slots.$[use].checkAt': 1 }) },
      };
      await update(appId, change as UpdateFilter<AppDocument>, [which(uses)]);
    },

    /** Ends a use that was dropped. */
    async remove(appId: ObjectId, { id }: IndexSlot): Promise<void> {
      await apps.updateOne({ _id: appId }, { $pull: { slots: { id, state: 'dropping' } } });
    },
  };
}

/** Whether a use is to be checked, as an expression. Absent times come first in MongoDB's order. */
const DUE = { $and: [{ $gt: ['$$this.checkAt', null] }, { $lte: ['$$this.checkAt', '$$NOW'] }] };

/** These uses in the state, and the check, that they are in. */
function which(uses: readonly IndexSlot[]) {
  const [{ state, checkAt } = {} as Partial<IndexSlot>] = uses;
  return {
    'use.id': { $in: uses.map(({ id }) => id) },
    'use.state': state,
    'use.checkAt': checkAt ?? { $exists: false },
  };
}

/** A field that needs a slot. */
export type WantedField = Pick<FieldDefinition, 'key' | 'kind'>;

/** How the slots of an app follow its newest schema. */
interface SlotPlan {
  /** Uses of slots that end. */
  drop: IndexSlot[];
  /** Uses that begin. Fields for which no slot is free yet are left out. */
  claim: (WantedField & { slot: SlotName })[];
}

/** The fields of a schema that need a slot. */
export function wantedFields(fields: readonly FieldDefinition[]): WantedField[] {
  return fields.filter(isIndexed).map(({ key, kind }) => ({ key, kind }));
}

/**
 * Compares the indexed fields of the newest schema with the slots of the app. A field whose kind
 * changed gives its slot up and claims another one, and so does one whose slot has values of an
 * earlier version. A slot that is being dropped is not free.
 */
export function planSlots(slots: readonly IndexSlot[], wanted: readonly WantedField[]): SlotPlan {
  const kept = slots.filter((slot) => slot.state !== 'dropping' && wanted.some((field) => serves(slot, field)));
  const free = SLOT_NAMES.filter((name) => !slots.some(({ slot }) => slot === name));
  const missing = wanted.filter((field) => !kept.some((slot) => serves(slot, field)));
  return {
    drop: slots.filter((slot) => slot.state !== 'dropping' && !kept.includes(slot)),
    claim: missing.flatMap((field, index) => {
      const slot = free[index];
      return slot ? [{ ...field, slot }] : [];
    }),
  };
}

function serves(slot: IndexSlot, field: WantedField): boolean {
  return slot.key === field.key && slot.kind === field.kind && isCurrentVersion(slot);
}
