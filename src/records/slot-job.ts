import type { ObjectId } from 'mongodb';
import type { Pace } from '../apps/activity.ts';
import { type IndexSlot, renamedSlots } from '../apps/index-slots.ts';
import type { AppRevision } from '../apps/revision.ts';
import { isOverTime } from '../database/failures.ts';
import type { Job, StepContext } from '../jobs/job-runner.ts';
import { STEP_MS, workInBatches } from '../jobs/pass-job.ts';
import type { RenameStore } from '../schemas/pending-renames.ts';
import type { SchemaStore } from '../schemas/schema-store.ts';
import type { RecordReader } from './record-reader.ts';
import type { Ahead, SlotFence, SlotRecords } from './slot-records.ts';
import { type OpenApp, planSlots, type SlotStore, wantedFields } from './slot-store.ts';

/**
 * How long a write may take effect after every lease ended under which it was made: 3 s in the
 * queue of its server, the time limit of its statement, and one repetition by the driver
 * (decision 21). A live server looks at its late writes itself (slot-records.ts), so this is for
 * servers that died.
 */
export const WRITES_END_MS = 10_000;

/**
 * When the records of a slot are checked after its build, and after the check before. The filter of
 * an update refuses one of an earlier epoch, but an insert has no filter, and the writers of an app
 * that never had a slot name no epoch. The first time is longer than the driver waits for the
 * answers of a write and of its repetition; the second one is for servers that were suspended.
 */
export const CHECKS_MS: readonly number[] = [75_000, 24 * 60 * 60 * 1_000];

/** When the next check follows, after `done` ones; undefined: never. */
export function nextCheck(checksMs: readonly number[], now: Date, done: number): Date | undefined {
  const afterMs = checksMs[done];
  return afterMs === undefined ? undefined : new Date(now.getTime() + afterMs);
}

const EVERY_MS = 1_000;
/** The slots are compared with the schemas after each change of the revision, and this often. */
const COMPARE_EVERY_MS = 60_000;
const APPS_AT_ONCE = 200;

/** The records of a statement. Batches of 2,000 and 5,000 are not faster. */
const BATCH = 500;

/**
 * Calls `work` again and again, until it resolves with a result, for at most {@link STEP_MS}. After
 * a statement that took too long, the next batch has an eighth of the records.
 *
 * @param work takes the most records of its batch
 * @returns the result; undefined: the time is over; `stopped`: the step is to end at once
 */
export async function inBatches<Result>(
  context: StepContext,
  pace: Pick<Pace, 'rest'>,
  work: (limit: number) => Promise<Result | undefined>,
): Promise<Result | undefined | 'stopped'> {
  let limit = BATCH;
  let result: Result | undefined;
  const batch = async (): Promise<boolean> => {
    try {
      result = await work(limit);
    } catch (error) {
      if (!isOverTime(error) || limit === 1) throw error;
      limit = Math.ceil(limit / 8);
    }
    return result === undefined;
  };
  await workInBatches(context, STEP_MS, batch, pace.rest);
  return result ?? (context.signal.aborted || !context.stillOwner() ? 'stopped' : undefined);
}

/**
 * The job that makes the slots of all apps follow their newest schemas: it claims slots, fills
 * them, and drops those that no field uses (decision 21).
 *
 * @param deps.writesEndMs {@link WRITES_END_MS}; shorter in tests only
 * @param deps.checksMs {@link CHECKS_MS}; shorter in tests only
 */
export function createSlotJob(deps: {
  store: SlotStore;
  records: SlotRecords;
  countForDisplay: RecordReader['countForDisplay'];
  schemas: Pick<SchemaStore, 'appsWithIndexes' | 'newestFields'>;
  renames: Pick<RenameStore, 'read'>;
  revision: AppRevision;
  pace: Pick<Pace, 'rest'>;
  writesEndMs?: number | undefined;
  checksMs?: readonly number[] | undefined;
}): Job {
  const { store, records, countForDisplay, schemas, renames, revision, pace } = deps;
  const { writesEndMs = WRITES_END_MS, checksMs = CHECKS_MS } = deps;
  let compared: { revision: string; at: number } | undefined;
  /** By app: the highest schema version of a record that was later than the newest one. */
  const seenVersions = new Map<string, number>();

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

  async function assignIn(appIds: ObjectId[]): Promise<void> {
    // The slots first: a plan for slots that changed since is not carried out.
    const found = await store.ofApps(appIds);
    const newest = await schemas.newestFields(appIds);
    for (const app of found) {
      const { fields = [], moving } = newest.get(app.appId.toHexString()) ?? {};
      // A slot goes on under the new key of a field; it is passed on soon
      // (schemas/pending-renames.ts).
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

  const isDue =
    (now: Date) =>
    ({ checkAt }: IndexSlot): boolean =>
      checkAt !== undefined && checkAt <= now;

  /** Works on the slots of one app for a while. Resolves with whether more work waits. */
  async function workOn(app: OpenApp, fence: SlotFence, context: StepContext): Promise<boolean> {
    const { slots, now } = app;
    const settled = slots.filter(isSettled(now));
    for (const { slot } of settled) await records.ensureIndex(slot);
    const dropping = settled.filter(({ state }) => state === 'dropping');
    for (const slot of dropping) {
      if (await drop(app.appId, slot, fence, context)) return true;
    }
    const [first] = [...settled.filter(({ state }) => state === 'building'), ...slots.filter(isDue(now))];
    if (!first) return dropping.length > 0;
    await pass(
      app,
      // Slots that have come equally far share one pass over the records.
      [...settled, ...slots.filter(isDue(now))].filter(
        (slot) =>
          slot.state === first.state &&
          String(slot.position) === String(first.position) &&
          slot.checkAt?.getTime() === first.checkAt?.getTime(),
      ),
      fence,
      context,
    );
    return true;
  }

  /** What records have that is later than the fence counts in the next step. */
  async function noteAhead(appId: ObjectId, { slotEpoch, schemaVersion }: Ahead): Promise<void> {
    if (slotEpoch !== undefined) await store.catchUp(appId, slotEpoch);
    if (schemaVersion !== undefined) seenVersions.set(appId.toHexString(), schemaVersion);
  }

  /** Resolves with whether records are left. */
  async function drop(appId: ObjectId, slot: IndexSlot, fence: SlotFence, context: StepContext): Promise<boolean> {
    let { done } = slot;
    const result = await inBatches(context, pace, async (limit) => {
      const { found, dropped, ahead } = await records.drop(appId, slot.slot, limit, fence);
      if (found === 0) {
        await store.remove(appId, slot);
        compared = undefined; // a field may wait for the slot
        return 'end';
      }
      done += dropped;
      if (dropped === found) return undefined;
      await noteAhead(appId, ahead);
      return 'behind';
    });
    if (result === undefined || result === 'behind') {
      await store.advance(appId, [slot], { done, total: Math.max(slot.total, done) });
    }
    return result !== 'end';
  }

  /** Goes on with the build of these slots, or with the check of their records. */
  async function pass(
    { appId, now }: OpenApp,
    slots: IndexSlot[],
    fence: SlotFence,
    context: StepContext,
  ): Promise<void> {
    const [first] = slots;
    if (!first) return;
    const isBuild = first.state === 'building';
    let { done, total, position } = first;
    if (isBuild && position === undefined) total = await countForDisplay(appId);
    const result = await inBatches(context, pace, async (limit) => {
      const { read, last, isDisturbed, ahead } = await records.build(appId, slots, position, limit, fence);
      if (!isDisturbed) {
        done += read;
        position = last;
        return read < limit ? 'end' : undefined;
      }
      if (Object.keys(ahead).length === 0) return undefined;
      await noteAhead(appId, ahead);
      return 'behind';
    });
    if (result === 'stopped') return;
    if (result === 'end') return end(done);
    const progress = isBuild && { done, total: Math.max(total, done) };
    await store.advance(appId, slots, { ...progress, ...(position && { position }) });

    async function end(count: number): Promise<void> {
      if (!isBuild) return store.endCheck(appId, slots, nextCheck(checksMs, now, (first?.checks ?? 0) + 1));
      await store.finish(appId, slots, count, nextCheck(checksMs, now, 0));
      await revision.bump(); // so that servers use the index soon
    }
  }

  return {
    name: 'index-slots',
    everyMs: EVERY_MS,
    async run(context) {
      await assign();
      const opened = await store.open();
      await announce(opened);
      if (opened.length === 0) return false;
      const newest = await schemas.newestFields(opened.map(({ appId }) => appId));
      const open = await store.open();
      const moving = await renames.read();
      const again = new Map((await store.open()).map((app) => [app.appId.toHexString(), app]));
      let hasMore = false;
      for (const app of open) {
        if (context.signal.aborted || !context.stillOwner()) return true;
        const id = app.appId.toHexString();
        const version = newest.get(id)?.version;
        // The keys of the slots are those of the version, or of a rename that `moving` shows: a
        // slot is passed on after the version is stored, and before its values are all moved.
        if (version === undefined || again.get(id)?.slotEpoch !== app.slotEpoch) continue;
        const schemaVersion = Math.max(version, seenVersions.get(id) ?? 0);
        const keys = moving.get(id)?.pairs.flatMap(({ from, to }) => [from, to]) ?? [];
        // The values of these fields are not all under one key.
        const slots = app.slots.filter(({ key, state }) => state === 'dropping' || !keys.includes(key));
        const fence = { slotEpoch: app.slotEpoch, schemaVersion };
        if (await workOn({ ...app, slots }, fence, context)) hasMore = true;
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
