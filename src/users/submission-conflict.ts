import type { Submission } from './submission.ts';
import type { UserCollection, UserDocument } from './users.model.ts';

/** Why the stored record did not take an upsert. */
export type Conflict =
  | { reason: 'repeated'; record: Pick<UserDocument, '_id' | 'createdAt' | 'updatedAt'> }
  | { reason: 'key-reused' }
  | { reason: 'newer-schema' }
  | { reason: 'not-an-array'; key: string }
  | { reason: 'array-full'; key: string }
  | { reason: 'race' };

/**
 * Looks at the record to tell why an upsert was refused. `race`: nothing stands in the way now, another submission just was quicker (or the record is
 * gone again), so the same upsert can be tried once more.
 */
export async function explainConflict(
  users: UserCollection,
  submission: Submission,
  maxArrayItems: number,
): Promise<Conflict> {
  const { appId, email, schemaVersion, change, applied } = submission;
  // What no majority has yet may still be rolled back by a change of primary, and must not be taken for a submission that was stored.
  const record = await users.findOne({ appId, email }, { readConcern: 'majority' });
  if (!record) return { reason: 'race' };

  const earlier =
    applied && record.appliedKeys?.find((kept) => kept.key.toString('hex') === applied.key.toString('hex'));
  if (earlier) {
    const same = earlier.content.toString('hex') === applied.content.toString('hex');
    return same ? { reason: 'repeated', record } : { reason: 'key-reused' };
  }
  if (record.schemaVersion > schemaVersion) return { reason: 'newer-schema' };

  for (const [key, items] of Object.entries(change.append)) {
    if (Object.hasOwn(record.data, key) && !Array.isArray(record.data[key])) return { reason: 'not-an-array', key };
    if ((record.arraySizes?.[key] ?? 0) + items.length > maxArrayItems) return { reason: 'array-full', key };
  }
  return { reason: 'race' };
}

/**
 * Makes a stored value that is no array the first item of one (DESIGN section 2, "stored value is no array but the field now is"). It changes nothing
 * else and nothing when it was done before, so it needs no undoing if the submission behind it is never stored.
 */
export async function turnIntoArray(
  users: UserCollection,
  { appId, email, now }: Submission,
  key: string,
): Promise<void> {
  const path = `data.${key}`;
  const item = { value: `$${path}`, timestamp: now.toISOString() };
  await users.updateOne({ appId, email, [path]: { $exists: true, $not: { $type: 'array' } } }, [
    { $set: { [path]: [item], [`arraySizes.${key}`]: 1 } },
  ]);
}
