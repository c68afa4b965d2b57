import type { Types } from 'mongoose';
import { type IndexSlot, renamedSlots } from '../../apps/index-slots.ts';
import type { Pace } from '../../apps/pace.ts';
import type { AppRevision } from '../../apps/revision.ts';
import { isOverTime } from '../../database/failures.ts';
import type { Job, StepContext } from '../../jobs/job-runner.ts';
import type { RenameStore } from '../../schemas/renames/pending-renames.ts';
import type { SchemaStore } from '../../schemas/schema-store.ts';
import { planSlots, wantedFields } from './slot-plan.ts';
import type { SlotRecords } from './slot-records.ts';
import type { OpenApp, SlotStore } from './slot-store.ts';

/**
 * How long a write may take effect after every lease ended under which it was made: 3 s in the
 * queue of its server, the time limit of its statement, and one repetition by the driver
 * (decision 21). A live server looks at its late writes itself (slot-repair.ts), so this is for
 * servers that died.
 */
export const WRITES_END_MS = 10_000;

const EVERY_MS = 1_000;
/** The slots are compared with the schemas after each change of the revision, and this often. */
const COMPARE_EVERY_MS = 60_000;
const APPS_AT_ONCE = 200;

/** The records of a statement. Batches of 2,000 and 5,000 are not faster. */
const BATCH = 500;
/** How long a step works on the slots of one app. */
const STEP_MS = 500;

/**
 * The job that makes the slots of all apps follow their newest schemas: it claims slots, fills
 * them, and drops those that no field uses (decision 21).
 *
 * @param deps.writesEndMs {@link WRITES_END_MS}; shorter in tests only
 */
export function createSlotJob(deps: {
  store: SlotStore;
  records: SlotRecords;
  schemas: Pick<SchemaStore, 'appsWithIndexes' | 'newestFields'>;
  renames: Pick<RenameStore, 'read'>;
  revision: AppRevision;
  pace: Pick<Pace, 'rest'>;
  writesEndMs?: number | undefined;
}): Job {
  const { store, records, schemas, renames, revision, pace, writesEndMs = WRITES_END_MS } = deps;
  let compared: { revision: string; at: number } | undefined;

  /** Claims and drops slots where the newest schema of an app asks for it. */
  async function assign(): Promise<void> {
    const known = await revision.read();
    const isFresh = compared && performance.now() - compared.at < COMPARE_EVERY_MS;
    if (isFresh && compared?.revision === known) return;
    const at = performance.now();
    const ids = new Map(
      [...(await schemas.appsWithIndexes()), ...(await store.appIds())].map((id) => [String(id), id]),
    );
    const all = [...ids.values()];
    for (let first = 0; first < all.length; first += APPS_AT_ONCE) {
      await assignIn(all.slice(first, first + APPS_AT_ONCE));
    }
    compared = { revision: known, at };
  }

  async function assignIn(appIds: Types.ObjectId[]): Promise<void> {
    // The slots first: a plan for slots that changed since is not carried out.
    const found = await store.ofApps(appIds);
    const newest = await schemas.newestFields(appIds);
    for (const app of found) {
      const { fields = [], moving } = newest.get(app.appId.toHexString()) ?? {};
      // A slot goes on under the new key of a field; it is passed on soon
      // (schemas/renames/slot-handover.ts).
      if (moving && renamedSlots(app.slots, moving.pairs).some(isOther(app.slots))) continue;
      const plan = planSlots(app.slots, wantedFields(fields));
      if (plan.drop.length > 0 || plan.claim.length > 0) await store.assign(app, plan);
    }
  }

  /** Makes sure that every server knows the states of these slots, and notes when it did. */
  async function announce(open: readonly OpenApp[]): Promise<void> {
    const unknown = open.map(({ appId, slots }) => ({
      appId,
      slots: slots.filter((slot) => isOpen(slot) && !slot.knownAt),
    }));
    if (unknown.every(({ slots }) => slots.length === 0)) return;
    await revision.publish();
    for (const { appId, slots } of unknown) await store.setKnown(appId, slots);
  }

  const isSettled =
    (now: Date) =>
    (slot: IndexSlot): boolean =>
      isOpen(slot) && slot.knownAt !== undefined && now.getTime() - slot.knownAt.getTime() >= writesEndMs;

  /** Works on the slots of one app for a while. Resolves with whether more work waits. */
  async function workOn({ appId, slots }: OpenApp, now: Date, context: StepContext): Promise<boolean> {
    const settled = slots.filter(isSettled(now));
    for (const { slot } of settled) await records.ensureIndex(slot);
    const dropping = settled.filter(({ state }) => state === 'dropping');
    const building = settled.filter(({ state }) => state === 'building');
    for (const slot of dropping) {
      if (await drop(appId, slot, context)) return true;
    }
    // Slots that have come equally far share one pass over the records.
    const [first] = building;
    if (!first) return dropping.length > 0;
    await build(
      appId,
      building.filter((slot) => String(slot.position) === String(first.position)),
      context,
    );
    return true;
  }

  /** Resolves with whether records are left. */
  async function drop(appId: Types.ObjectId, slot: IndexSlot, { signal, stillOwner }: StepContext): Promise<boolean> {
    const until = performance.now() + STEP_MS;
    let { done } = slot;
    let limit = BATCH;
    while (performance.now() < until) {
      if (signal.aborted || !stillOwner()) return true;
      const begun = performance.now();
      try {
        const dropped = await records.drop(appId, slot.slot, limit);
        if (dropped === 0) {
          await store.remove(appId, slot);
          compared = undefined; // a field may wait for the slot
          return false;
        }
        done += dropped;
      } catch (error) {
        if (!isOverTime(error) || limit === 1) throw error;
        limit = Math.ceil(limit / 8);
      }
      await pace.rest(begun, signal);
    }
    await store.advance(appId, [slot], { done, total: Math.max(slot.total, done) });
    return true;
  }

  /** The total is for display only. */
  async function countOr0(appId: Types.ObjectId): Promise<number> {
    try {
      return await records.count(appId);
    } catch (error) {
      if (isOverTime(error)) return 0;
      throw error;
    }
  }

  async function build(appId: Types.ObjectId, slots: IndexSlot[], { signal, stillOwner }: StepContext): Promise<void> {
    const [first] = slots;
    if (!first) return;
    let { done, total, position } = first;
    let limit = BATCH;
    if (position === undefined) total = await countOr0(appId);
    const until = performance.now() + STEP_MS;
    do {
      if (signal.aborted || !stillOwner()) return;
      const begun = performance.now();
      try {
        const { read, last, isDisturbed } = await records.build(appId, slots, position, limit);
        if (!isDisturbed && read < limit) {
          await store.finish(appId, slots, done + read);
          await revision.bump(); // so that servers use the index soon
          return;
        }
        if (!isDisturbed) {
          done += read;
          position = last;
        }
      } catch (error) {
        if (!isOverTime(error) || limit === 1) throw error;
        limit = Math.ceil(limit / 8);
      }
      await pace.rest(begun, signal);
    } while (performance.now() < until);
    await store.advance(appId, slots, { done, total: Math.max(total, done), ...(position && { position }) });
  }

  return {
    name: 'index-slots',
    everyMs: EVERY_MS,
    async run(context) {
      await assign();
      await announce(await store.open());
      let hasMore = false;
      const moving = await renames.read();
      for (const app of await store.open()) {
        if (context.signal.aborted || !context.stillOwner()) return true;
        const keys = moving.get(app.appId.toHexString())?.pairs.flatMap(({ from, to }) => [from, to]) ?? [];
        // The values of these fields are not all under one key.
        const slots = app.slots.filter(({ key, state }) => state !== 'building' || !keys.includes(key));
        if (await workOn({ ...app, slots }, app.now, context)) hasMore = true;
      }
      return hasMore;
    },
  };
}

const isOther =
  (slots: readonly IndexSlot[]) =>
  (slot: IndexSlot, index: number): boolean =>
    slot !== slots[index];

function isOpen({ state }: IndexSlot): boolean {
  return state !== 'ready';
}
