import type { SlotStore } from '../indexes/slots.ts';
import type { UserDocument } from '../stored/record.ts';

/** The record has a newer schema version or newer slots than those of the check. */
export class OutdatedSchema extends Error {
  override readonly name = 'OutdatedSchema';
}

/**
 * Refuses a write that was checked against an earlier schema, or earlier index slots, than those of
 * the record. @throws {OutdatedSchema}
 */
export async function refuseOutdated(
  { appId, schemaVersion, slotEpoch }: Pick<UserDocument, 'appId' | 'schemaVersion' | 'slotEpoch'>,
  checked: { schemaVersion: number; slotEpoch?: number | undefined },
  catchUp: SlotStore['catchUp'],
): Promise<void> {
  if (schemaVersion > checked.schemaVersion) throw new OutdatedSchema();
  await refuseOldSlots(appId, slotEpoch, checked.slotEpoch, catchUp);
}

/** Refuses a write with earlier index slots. @throws {OutdatedSchema} */
export async function refuseOldSlots(
  appId: UserDocument['appId'],
  stored = 0,
  checked = 0,
  catchUp: SlotStore['catchUp'],
): Promise<void> {
  if (stored <= checked) return;
  await catchUp(appId, stored);
  throw new OutdatedSchema();
}
