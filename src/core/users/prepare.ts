import { BSON } from 'mongodb';
import type { RecordChange } from '../fields/compile.ts';
import type { Lease } from '../schemas/schema-leases.ts';
import { boundGrowth, changeSize, type RecordLimits, sizeBoundLimit } from './record-limits.ts';
import type { RecordParts } from './record-part.ts';
import type { Submission } from './submission.ts';

/** A valid change, and how it was sent. */
type Sent = Pick<Submission, 'email' | 'change' | 'now' | 'by'> & Partial<Pick<Submission, 'facts'>>;

/** Returns the submission of a change that is valid under a lease. */
export function prepareSubmission(
  { email, change, now, by, facts = {} }: Sent,
  lease: Lease,
  { limits, parts }: { limits: RecordLimits; parts: RecordParts },
): Submission {
  const size = changeSize(change);
  const defaults = lease.validator.defaults && missingOf(lease.validator.defaults, change);
  const submission: Submission = {
    appId: lease.app.id,
    sourceAppId: lease.app.sourceAppId,
    email,
    schemaVersion: lease.schema.version,
    fieldKeys: lease.validator.fieldKeys,
    now,
    by,
    change,
    defaults,
    size,
    // A filter cannot tell whether the write creates the record, so the bound has the defaults too.
    growth: boundGrowth(change, defaults ? { ...size, set: size.set + defaults.bytes } : size, limits),
    maxBound: sizeBoundLimit(limits, parts.reserved(lease)),
    facts,
    // All members from the start: a copy that adds some is slow.
    parts: undefined,
    claim: undefined,
  };
  submission.parts = parts.begin(submission, lease);
  return submission;
}

/** Returns the default values of the keys that a change does not set. */
function missingOf(defaults: Readonly<Record<string, unknown>>, { set, append }: RecordChange): Submission['defaults'] {
  const missing = Object.entries(defaults).filter(([key]) => !Object.hasOwn(set, key) && !Object.hasOwn(append, key));
  if (missing.length === 0) return undefined;
  const values = Object.fromEntries(missing);
  return { values, bytes: BSON.calculateObjectSize(values) };
}
