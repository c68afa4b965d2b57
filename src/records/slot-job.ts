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
 * 3 s in the queue of a server, the time limit of a statement, and one repetition by the driver
 * (decision 21). A live server repairs its late writes (slot-records.ts); this covers others.
 */
export const WRITES_END_MS = 10_000;

/**
 * Checks of a slot after its build: an insert has no filter that refuses an earlier epoch, and an
 * app that never had a slot has no epoch. The first one is later than the driver waits for a write
 * and its repetition; the second one covers suspended servers.
 */
export const CHECKS_MS: readonly number[] = [75_000, 24 * 60 * 60 * 1_000];

/** When the next check follows, after `done` checks; undefined: never. */
export function nextCheck(checksMs: readonly number[], now: Date, done: number): Date | undefined {
  const afterMs = checksMs[done];
  return afterMs === undefined ? undefined : new Date(now.getTime() + afterMs);
}

const EVERY_MS = 1_000;
/** The slots are compared with the schemas after each revision, and this often. */
const COMPARE_EVERY_MS = 60_000;
const APPS_AT_ONCE = 200;

const BATCH = 500;

/**
 * Repeats `work` until it has a result, for at most {@link STEP_MS}. After a statement over its
 * time limit, batches are smaller. Undefined: the time is over; `stopped`: end the step at once.
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
 * Makes the slots of all apps follow their newest schemas: claims, fills and drops them (decision
 * 21). `writesEndMs` and `checksMs`: shorter in tests only.
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
  /** By app: the highest version of a record above that of the newest schema. */
  const seenVersions = new Map<string, number>();

  /** Whether the slots were compared with the schemas at this revision. */
  const isCompared = (known: string): boolean =>
    compared?.revision === known && performance.now() - compared.at < COMPARE_EVERY_MS;

  async function assign(): Promise<void> {
    const known = await revision.read();
    if (isCompared(known)) return;
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
    // The slots first: a plan for slots that changed since is not executed.
    const found = await store.ofApps(appIds);
    const newest = await schemas.newestFields(appIds);
    for (const app of found) {
      const { fields = [], moving } = newest.get(app.appId.toHexString()) ?? {};
      // A slot soon gets the new key of its field (schemas/pending-renames.ts).
      if (moving && renamedSlots(app.slots, moving.pairs).some(isOther(app.slots))) continue;
      const plan = planSlots(app.slots, wantedFields(fields));
      if (plan.drop.length > 0 || plan.claim.length > 0) await store.assign(app, plan);
    }
  }

  /** Ensures that every server knows the states of these slots, and stores when it did. */
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

  /** Works on one app for a while. Resolves with whether more work waits. */
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
      // Slots with the same progress share one pass over the records.
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
    hasWork: async () => !isCompared(await revision.read()) || (await store.open()).length > 0,
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
        // The keys of the slots are those of the version, or of a rename in `moving`: a slot is
        // passed on after the version is stored, and before all values are moved.
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
