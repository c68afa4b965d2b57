import type { AppService } from '../../apps/apps.service.ts';
import { renamedSlots, type SlotState } from '../../apps/index-slots.ts';
import type { RenameStore } from '../../schemas/renames/pending-renames.ts';
import type { SchemaStore } from '../../schemas/schema-store.ts';
import { planSlots, wantedFields } from './slot-plan.ts';

/** An index of an app, or a renamed field whose values are being moved, as operators see it. */
export interface IndexView {
  key: string;
  state: SlotState | 'renaming';
  done: number;
  total: number;
}

export type IndexSlotService = ReturnType<typeof createIndexSlotService>;

/** What operators see of the indexes of an app (spec 4.3). */
export function createIndexSlotService({
  apps,
  schemas,
  renames,
}: {
  apps: Pick<AppService, 'get'>;
  schemas: Pick<SchemaStore, 'newest'>;
  renames: Pick<RenameStore, 'progressOf'>;
}) {
  return {
    /**
     * Resolves with the indexes of the newest schema, in the order of its fields, and then those
     * that are being dropped, and the renamed fields whose values are being moved. A change of the
     * schema counts at once, also before the job has begun to follow it (slot-job.ts).
     * @throws {NotFound}
     */
    async list(sourceAppId: string): Promise<IndexView[]> {
      const { id, slots: stored = [] } = await apps.get(sourceAppId);
      const moving = await renames.progressOf(id);
      const slots = moving ? renamedSlots(stored, moving.renames.pairs) : stored;
      const fields = (await schemas.newest(id))?.schema.fields ?? [];
      const wanted = wantedFields(fields);
      const { drop } = planSlots(slots, wanted);
      const ending = slots.filter((slot) => slot.state === 'dropping' || drop.includes(slot));
      return [
        ...wanted.map(({ key }): IndexView => {
          const slot = slots.find((one) => one.key === key && !ending.includes(one));
          return { key, state: slot?.state ?? 'building', done: slot?.done ?? 0, total: slot?.total ?? 0 };
        }),
        ...ending.map(({ key, state, done, total }): IndexView => {
          return { key, state: 'dropping', done: state === 'dropping' ? done : 0, total };
        }),
        ...(moving?.renames.pairs ?? []).map(({ to }): IndexView => {
          const { done, total } = moving?.progress ?? { done: 0, total: 0 };
          return { key: to, state: 'renaming', done, total };
        }),
      ];
    },
  };
}
