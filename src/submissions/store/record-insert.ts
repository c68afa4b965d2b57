import type { RecordId } from '../../users/record-id.ts';
import type { UserDocument } from '../../users/users.model.ts';
import { consentChange, stateAfter } from './consents.ts';
import { bytesOf, eventOf, growthWith, type Submission, type Written } from './submission.ts';

/** Creates the record, or fails with a duplicate key because the person has a record. */
export interface Insert {
  kind: 'insert';
  record: UserDocument;
  creation: Written;
  /** The approximate size of the write, in bytes. */
  bytes: number;
}

/**
 * Builds the insert that stores a submission of a person without a record. The record equals the
 * one that `upsertOf` creates; a property test compares the two.
 */
export function insertOf(submission: Submission, newId: RecordId): Insert {
  const { appId, sourceAppId, email, schemaVersion, now, change, slots, slotEpoch, applied } = submission;
  const consents = submission.consents && consentChange(submission.consents).entries;
  const growth = growthWith(submission, consents);
  const data = { ...change.set, ...change.append };
  const sizes = Object.entries(data).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : []));
  const record: UserDocument = {
    _id: newId,
    appId,
    sourceAppId,
    email,
    data,
    schemaVersion,
    createdAt: now,
    updatedAt: now,
    ...(sizes.length > 0 && { arraySizes: Object.fromEntries(sizes) }),
    ...(growth > 0 && { sizeBound: growth }),
    ...(slotEpoch !== undefined && { slotEpoch }),
    ...(applied && { appliedKeys: [applied] }),
    ...(consents && consents.length > 0 && { consents, consentState: stateAfter(consents) }),
    ...(submission.hasConsumers && { outbox: [eventOf(submission, newId)], eventCount: 1 }),
  };
  // Absent fields too, so that one index serves filters and sorting of all records.
  if (slots) for (const { slot, value = null } of slots) record[slot] = value;
  return { kind: 'insert', record, creation: { id: newId, createdAt: now }, bytes: bytesOf(submission) };
}
