import { BSON } from 'mongodb';
import { keepsWords } from '../../apps/index-slots.ts';
import type { RecordChange } from '../../fields/compile.ts';
import type { Lease } from '../../schemas/schema-leases.ts';
import { changeWords } from '../indexes/record-words.ts';
import { slotWrites } from '../indexes/slot-records.ts';
import { boundGrowth, changeSize, type RecordLimits, sizeBoundLimit } from './record-limits.ts';
import type { Submission } from './submission.ts';

/** Returns the submission of a change that is valid under a lease, without parts and key. */
export function prepareSubmission(
  { email, change, now }: Pick<Submission, 'email' | 'change' | 'now'>,
  lease: Lease,
  limits: RecordLimits,
): Submission {
  const size = changeSize(change);
  const defaults = lease.validator.defaults && missingOf(lease.validator.defaults, change);
  const slots = slotWrites(lease.app.slots, change, defaults?.values);
  const words = keepsWords(lease.app) ? changeWords(email, change, defaults?.values) : undefined;
  return {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    change,
    defaults,
    size,
    slots,
    words,
    slotEpoch: lease.app.slotEpoch,
    // A filter cannot tell whether the write creates the record, so the bound has the defaults too.
    growth: boundGrowth(change, defaults ? { ...size, set: size.set + defaults.bytes } : size, limits),
    maxBound: sizeBoundLimit(limits, slots?.length ?? 0, words !== undefined),
    ...(lease.renames && { renames: lease.renames }),
    parts: undefined,
    applied: undefined,
    // All members from the start: a copy that adds some is slow.
    entry: undefined,
    lang: undefined,
    page: undefined,
    hasConsumers: lease.app.hasConsumers,
    asksReply: false,
    files: undefined,
  };
}

/** Returns the default values of the keys that a change does not set. */
function missingOf(defaults: Readonly<Record<string, unknown>>, { set, append }: RecordChange): Submission['defaults'] {
  const missing = Object.entries(defaults).filter(([key]) => !Object.hasOwn(set, key) && !Object.hasOwn(append, key));
  if (missing.length === 0) return undefined;
  const values = Object.fromEntries(missing);
  return { values, bytes: BSON.calculateObjectSize(values) };
}
