import type { mongo } from 'mongoose';
import { MAX_EXTRA_KEYS } from '../../fields/compile.ts';
import type { AppliedKey, UserCollection, UserDocument } from '../../users/users.model.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import type { RecordLimits } from './record-limits.ts';
import { MAX_INLINE_KEYS, type RecordView, type Submission } from './submission.ts';

/** The members of a stored record that answer a repeat. */
type Answer = Pick<UserDocument, '_id' | 'appId' | 'createdAt' | 'updatedAt'>;

/** The key was applied before: with the same data, or with other data. */
export type Repeat = { reason: 'repeated'; record: Answer } | { reason: 'key-reused' };

/** Why the stored record did not take an upsert. */
export type Conflict =
  | Repeat
  | { reason: 'newer-schema' }
  | { reason: 'keys-full'; record: Answer }
  | { reason: 'not-an-array'; key: string }
  | { reason: 'array-full'; key: string }
  | { reason: 'record-full' }
  | { reason: 'too-many-keys' }
  /** Nothing forbids the write: try it again, with this view of the record. */
  | { reason: 'retry'; view: RecordView };

/** What is read of a record: no value of `data`, whatever its size (invariant 7). */
interface Facts extends Answer, Pick<UserDocument, 'schemaVersion' | 'arraySizes' | 'keyEpoch' | 'sizeBound'> {
  /** The submission's own key, when the record holds it. */
  appliedKeys?: AppliedKey[];
  inlineKeys: number;
  /** Types of the stored values under the submission's array fields. */
  types?: Record<string, string>;
  size?: number;
  /** Bytes of the values that the submission replaces. */
  replaced?: number;
  /** Keys of `data` that are no fields of the schema. */
  extraKeys?: string[];
}

/** Finds the reason why an upsert was refused, or the applied submission that a key names. */
export function createConflictReader(deps: {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'find'>;
  limits: RecordLimits;
  maxArrayItems: number;
}) {
  const { users, keys, limits, maxArrayItems } = deps;

  /** What was applied under a key, in the record or moved out of it. */
  async function earlier(facts: Pick<Facts, '_id' | 'appId' | 'appliedKeys' | 'keyEpoch'>, { key }: AppliedKey) {
    const [inline] = facts.appliedKeys ?? [];
    return inline ?? (facts.keyEpoch ? await keys.find(facts.appId, facts._id, key) : undefined);
  }

  async function explainKey(facts: Facts, applied: AppliedKey): Promise<Conflict | undefined> {
    const found = await earlier(facts, applied);
    if (!found) return facts.inlineKeys >= MAX_INLINE_KEYS ? { reason: 'keys-full', record: facts } : undefined;
    return isSame(found.content, applied.content) ? { reason: 'repeated', record: facts } : { reason: 'key-reused' };
  }

  function explainArrays({ types, arraySizes }: Facts, { change }: Submission): Conflict | undefined {
    for (const [key, items] of Object.entries(change.append)) {
      const type = types?.[key] ?? 'missing';
      if (type !== 'missing' && type !== 'array') return { reason: 'not-an-array', key };
      if ((arraySizes?.[key] ?? 0) + items.length > maxArrayItems) return { reason: 'array-full', key };
    }
    return undefined;
  }

  /** Compares the exact size with the limits: the bound in the record is often higher. */
  function explainSize(facts: Facts, { change, size, fieldKeys }: Submission): Conflict | RecordView['exactBound'] {
    const { size: stored = 0, replaced = 0, extraKeys = [], sizeBound } = facts;
    const bytes = stored - replaced + size.set + size.append;
    const fields = new Set(fieldKeys);
    const sent = Object.keys(change.set).filter((key) => !fields.has(key));
    const extra = new Set([...extraKeys, ...sent]).size;
    if (bytes > limits.max) return { reason: 'record-full' };
    if (extra > MAX_EXTRA_KEYS && extra > extraKeys.length) return { reason: 'too-many-keys' };
    return { was: sizeBound, becomes: Math.max(bytes, extra * limits.extraKey) };
  }

  return {
    /** Why this upsert was refused. Reads what a majority has: what may be rolled back is no stored submission. */
    async explain(submission: Submission): Promise<Conflict> {
      const { schemaVersion, applied } = submission;
      const [facts] = await users
        .aggregate<Facts>(readOf(submission, limits), { readConcern: { level: 'majority' } })
        .toArray();
      if (!facts) return { reason: 'retry', view: { keyEpoch: 0 } };
      const conflict = applied && (await explainKey(facts, applied));
      if (conflict) return conflict;
      if (facts.schemaVersion > schemaVersion) return { reason: 'newer-schema' };
      const full = explainArrays(facts, submission);
      if (full) return full;
      const view: RecordView = { keyEpoch: facts.keyEpoch ?? 0 };
      if (facts.size === undefined) return { reason: 'retry', view };
      const exactBound = explainSize(facts, submission);
      if (exactBound && 'reason' in exactBound) return exactBound;
      return { reason: 'retry', view: { ...view, ...(exactBound && { exactBound }) } };
    },

    /** The submission that was applied under a key, for a repeat that today's schema or limits would refuse. */
    async findApplied(appId: Submission['appId'], email: string, applied: AppliedKey): Promise<Repeat | undefined> {
      const projection = {
        appId: 1,
        createdAt: 1,
        updatedAt: 1,
        keyEpoch: 1,
        appliedKeys: { $elemMatch: { key: applied.key } },
      };
      const record = await users.findOne({ appId, email }, { projection, readConcern: 'majority' });
      const found = record && (await earlier(record, applied));
      if (!found) return undefined;
      return isSame(found.content, applied.content) ? { reason: 'repeated', record } : { reason: 'key-reused' };
    },
  };
}

/** Reads the facts of a submission's record; the sizes only when the record may be near its limits. */
function readOf({ appId, email, applied, change, growth, fieldKeys }: Submission, { max }: RecordLimits) {
  const arrays = Object.keys(change.append);
  const inline = { $ifNull: ['$appliedKeys', []] };
  const mayBeFull = growth > 0 && { $gt: [{ $add: [{ $ifNull: ['$sizeBound', 0] }, growth] }, max] };
  const whenFull = (expression: object) => (mayBeFull ? { $cond: [mayBeFull, expression, '$$REMOVE'] } : '$$REMOVE');
  const replaced = Object.fromEntries(Object.keys(change.set).map((key) => [key, `$data.${key}`]));
  const extraKeys = {
    $setDifference: [{ $map: { input: { $objectToArray: '$data' }, in: '$$this.k' } }, [...fieldKeys]],
  };
  const project = {
    appId: 1,
    createdAt: 1,
    updatedAt: 1,
    schemaVersion: 1,
    arraySizes: 1,
    keyEpoch: 1,
    sizeBound: 1,
    ...(applied && {
      appliedKeys: { $filter: { input: inline, cond: { $eq: ['$$this.key', applied.key] } } },
    }),
    inlineKeys: { $size: inline },
    ...(arrays.length > 0 && { types: Object.fromEntries(arrays.map((key) => [key, { $type: `$data.${key}` }])) }),
    size: whenFull({ $bsonSize: '$$ROOT' }),
    replaced: whenFull({ $subtract: [{ $bsonSize: replaced }, { $bsonSize: {} }] }),
    extraKeys: whenFull(extraKeys),
  };
  return [{ $match: { appId, email } }, { $project: project }];
}

function isSame(a: mongo.Binary, b: mongo.Binary): boolean {
  return Buffer.compare(a.buffer, b.buffer) === 0;
}

/**
 * Makes a stored value that is no array the first item of one, because the field has become an array field. It changes
 * nothing else, and nothing when it is repeated, so it needs no undoing when the submission itself is never stored.
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
