import { type IndexSlot, isSameSlots, isWritten } from '../../apps/index-slots.ts';
import { Unavailable } from '../../core/errors.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import type { UserDocument } from '../users.model.ts';
import type { SlotRecords } from './slot-records.ts';
import type { SlotWrite } from './slot-writes.ts';

const MAX_ATTEMPTS = 24;

/** A write of a record that may have ended after the lease under which it was made. */
export interface LateWrite extends Pick<UserDocument, 'appId' | 'sourceAppId' | 'email'> {
  /** What it wrote. */
  slots: readonly SlotWrite[] | undefined;
}

export type RepairSlots = ReturnType<typeof createSlotRepair>;

/**
 * Returns a function that corrects the slots of a record after a write that ended later than its
 * lease. The slots of the app may have changed meanwhile, and a build may have passed the record.
 * It resolves when the record agrees with the slots of a lease that was valid at that time.
 *
 * @param hold resolves with a lease on the app of that name
 */
export function createSlotRepair(deps: {
  records: Pick<SlotRecords, 'correct'>;
  hold(sourceAppId: string): Promise<Lease | undefined>;
}) {
  const { records, hold } = deps;

  /**
   * @param before the slots of the lease under which the write was made
   * @throws {Unavailable} when the record or the slots keep changing
   */
  return async (write: LateWrite, before: readonly IndexSlot[] | undefined): Promise<void> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const lease = await hold(write.sourceAppId);
      // Another incarnation has other records, and those of this one are being removed.
      if (!lease?.app.id.equals(write.appId)) return;
      if (isSameSlots(lease.app.slots, before)) return;
      const current = (lease.app.slots ?? []).filter(isWritten);
      const unused = (write.slots ?? [])
        .map(({ slot }) => slot)
        .filter((slot) => !current.some((use) => use.slot === slot));
      const { slotEpoch = 0 } = lease.app;
      if ((await records.correct(write, current, unused, slotEpoch)) && lease.isCurrent()) return;
    }
    throw new Unavailable();
  };
}
