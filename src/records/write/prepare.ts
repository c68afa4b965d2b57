import { keepsWords } from '../../apps/index-slots.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { changeWords } from '../indexes/record-words.ts';
import { slotWrites } from '../indexes/slot-records.ts';
import { boundGrowth, changeSize, type RecordLimits, sizeBoundLimit } from './record-limits.ts';
import type { Submission } from './submission.ts';

/** Returns the submission of a change that is valid under a lease, without consents and key. */
export function prepareSubmission(
  { email, change, now }: Pick<Submission, 'email' | 'change' | 'now'>,
  lease: Lease,
  limits: RecordLimits,
): Submission {
  const size = changeSize(change);
  const slots = slotWrites(lease.app.slots, change);
  const words = keepsWords(lease.app) ? changeWords(email, change) : undefined;
  return {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    size,
    slots,
    words,
    slotEpoch: lease.app.slotEpoch,
    growth: boundGrowth(change, size, limits),
    maxBound: sizeBoundLimit(limits, slots?.length ?? 0, words !== undefined),
    ...(lease.renames && { renames: lease.renames }),
    consents: undefined,
    applied: undefined,
    // All members from the start: a copy that adds some is slow.
    entry: undefined,
    lang: undefined,
    page: undefined,
    hasConsumers: lease.app.hasConsumers,
  };
}
