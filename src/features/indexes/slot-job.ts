import type { ObjectId } from 'mongodb';
import type { Job } from '../../platform/jobs/job.ts';
import { type PassDeps, workOnEach } from '../record-reads/record-passes.ts';
import type { RenameStore } from '../renames/rename-store.ts';
import { createIndexBuilds } from './index-builds.ts';
import { type IndexSlot, renamedSlots } from './index-slots.ts';
import type { IndexedFields } from './indexed-fields.ts';
import type { SlotRecords } from './slot-records.ts';
import { planSlots, type SlotStore, wantedFields } from './slots.ts';

const EVERY_MS = 1_000;
/** The slots are compared with the schemas after each revision, and this often. */
const COMPARE_EVERY_MS = 60_000;
const APPS_AT_ONCE = 200;

const isOld = ({ at }: { at: number }): boolean => performance.now() - at >= COMPARE_EVERY_MS;

/**
 * Makes the slots of all apps follow their newest schemas: claims, fills and drops them (decision
 * 21). `writesEndMs` and `checksMs`: shorter in tests only.
 */
export function createSlotJob(
  deps: PassDeps & {
    store: SlotStore;
    records: SlotRecords;
    indexed: IndexedFields;
    renames: Pick<RenameStore, 'read'>;
  },
): Job {
  const { store, indexed, renames, revision } = deps;
  let compared: { revision: string; at: number } | undefined;
  /** By app: the highest version of a record above that of the newest schema. */
  const seenVersions = new Map<string, number>();

  const builds = createIndexBuilds<IndexSlot>({
    ...deps,
    async noteAhead(appId, { slotEpoch, schemaVersion }) {
      if (slotEpoch !== undefined) await store.catchUp(appId, slotEpoch);
      if (schemaVersion !== undefined) seenVersions.set(appId.toHexString(), schemaVersion);
    },
    onRemoved() {
      compared = undefined; // a field may wait for the slot
    },
  });

  /** Whether the slots were compared with the schemas at this revision. */
  const isCompared = (known: string): boolean => compared?.revision === known && !isOld(compared);

  async function assign(): Promise<void> {
    const known = await revision.read();
    if (isCompared(known)) return;
    const at = performance.now();
    const ids = new Map([...(await indexed.apps()), ...(await store.appIds())].map((id) => [String(id), id]));
    const all = [...ids.values()];
    for (let first = 0; first < all.length; first += APPS_AT_ONCE) {
      await assignIn(all.slice(first, first + APPS_AT_ONCE));
    }
    compared = { revision: known, at };
  }

  async function assignIn(appIds: ObjectId[]): Promise<void> {
    // The slots first: a plan for slots that changed since is not executed.
    const found = await store.ofApps(appIds);
    const newest = await indexed.newest(appIds);
    for (const app of found) {
      const { fields = [], moving } = newest.get(app.appId.toHexString()) ?? {};
      // A slot soon gets the new key of its field (slot-handover.ts).
      if (moving && renamedSlots(app.slots, moving.pairs).some((slot, at) => slot !== app.slots[at])) continue;
      const plan = planSlots(app.slots, wantedFields(fields));
      if (plan.drop.length > 0 || plan.claim.length > 0) await store.assign(app, plan);
    }
  }

  return {
    name: 'index-slots',
    everyMs: EVERY_MS,
    hasWork: async (hasAny) =>
      !compared || isOld(compared) || hasAny([revision.changedSince(compared.revision), store.anyOpen()]),
    async run(context) {
      await assign();
      const opened = await store.open();
      await builds.announce(opened);
      if (opened.length === 0) return false;
      const newest = await indexed.newest(opened.map(({ appId }) => appId));
      const open = await store.open();
      const moving = await renames.read();
      const again = new Map((await store.open()).map((app) => [app.appId.toHexString(), app]));
      return workOnEach(open, context, async (app) => {
        const id = app.appId.toHexString();
        const version = newest.get(id)?.version;
        // The keys of the slots are those of the version, or of a rename in `moving`: a slot is
        // passed on after the version is stored, and before all values are moved.
        if (version === undefined || again.get(id)?.slotEpoch !== app.slotEpoch) return false;
        const schemaVersion = Math.max(version, seenVersions.get(id) ?? 0);
        const keys = moving.get(id)?.pairs.flatMap(({ from, to }) => [from, to]) ?? [];
        // The values of these fields are not all under one key.
        const uses = app.uses.filter(({ key, state }) => state === 'dropping' || !keys.includes(key));
        return builds.workOn({ ...app, uses }, { slotEpoch: app.slotEpoch, schemaVersion }, context);
      });
    },
  };
}
