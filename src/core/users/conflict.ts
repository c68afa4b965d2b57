import { NamedError } from '../../platform/core/errors.ts';
import { typedFilter } from '../../platform/database/filters.ts';
import { exactBound, exceededLimit, extraKeysExpression, listExtraKeys, type RecordLimits } from './record-limits.ts';
import type { RecordParts } from './record-part.ts';
import { growthOf, type RecordView, UNSEEN } from './record-upsert.ts';
import type { Submission } from './submission.ts';
import type { UserCollection, UserDocument } from './users.model.ts';
import { type KnownStates, mostGrowth, REPAIRED, type RefusingRecord, StoredBefore } from './write-part.ts';

/** Why the filter of an upsert did not match the stored record. */
export type WriteConflict =
  | { reason: 'repeated'; record: RefusingRecord }
  | { reason: 'no-record' }
  | { reason: 'array-full'; key: string }
  | { reason: 'record-full' }
  | { reason: 'too-many-keys' }
  /** The record was changed so that the write may pass: read it again. */
  | { reason: 'repaired' }
  /** Nothing refuses the write now: repeat it with this view of the record. */
  | { reason: 'retry'; view: RecordView };

/** The record has a newer schema version or newer slots than those of the check. */
export class OutdatedSchema extends NamedError {}

/**
 * The result of the read. Its size is bounded (invariant 7): of `data` it contains only what the
 * submission removes or resets.
 */
interface Facts extends RefusingRecord, Pick<UserDocument, 'schemaVersion' | 'arraySizes' | 'sizeBound'> {
  /** The BSON type of the stored value of each array field that the submission appends to. */
  types?: Record<string, string>;
  /** What the parts of the submission read, by their names. */
  parts?: Readonly<Record<string, unknown>>;
  /** In bytes, without the history. This and the next two are read only near the size limit. */
  size?: number;
  replaced?: number;
  extraKeys?: string[];
}

/** What the reasons of a refused write are read from and repaired with. */
export interface ConflictDeps {
  users: UserCollection;
  limits: RecordLimits;
  maxArrayItems: number;
  parts: Pick<RecordParts, 'bytes'>;
}

/** Explains why an upsert was refused. */
export function createConflictReader({ users, limits, maxArrayItems, parts: ofFeatures }: ConflictDeps) {
  /** Compares the exact size with the limits, because `sizeBound` may be far above it. */
  function explainSize(facts: Facts, submission: Submission, view: RecordView): WriteConflict {
    const { change, size, fieldKeys } = submission;
    const { size: stored = 0, replaced = 0, extraKeys = [], sizeBound } = facts;
    const ofParts = growthOf({ ...submission, growth: 0 }, view.parts);
    const changed = stored - replaced + size.set + size.append;
    const keys = new Set([...extraKeys, ...listExtraKeys(change.set, fieldKeys)]).size;
    const after = { bytes: changed + ofParts.bytes, extraKeys: keys };
    const limited = { bytes: changed + ofParts.limited, extraKeys: keys };
    const reason = exceededLimit(limits, { bytes: stored, extraKeys: extraKeys.length }, limited);
    if (reason) return { reason };
    return { reason: 'retry', view: { ...view, exactBound: { was: sizeBound, becomes: exactBound(limits, after) } } };
  }

  /** Asks each part in turn; a part that repairs the record or knows the answer is the last. */
  async function explainParts(
    { email, parts = [] }: Submission,
    facts: Facts,
  ): Promise<KnownStates | typeof REPAIRED | StoredBefore> {
    const known: Record<string, unknown> = {};
    for (const part of parts) {
      const unmet = part.requires?.find(({ name, isMet }) => !isMet(facts.parts?.[name]));
      if (unmet) {
        await unmet.restore(facts.parts?.[unmet.name], { ...facts, email });
        return REPAIRED;
      }
      if (!part.explain) continue;
      const state = await part.explain(facts.parts?.[part.name], facts);
      if (state === REPAIRED || state instanceof StoredBefore) return state;
      known[part.name] = state;
    }
    return known;
  }

  return {
    /**
     * Explains why an upsert failed, and repairs the record if that is the reason. Read concern
     * `majority`: a write that can be rolled back is not stored.
     * @throws {OutdatedSchema} when the submission was checked against an outdated schema
     * @throws {AppError} when a part refuses it
     */
    async resolve(submission: Submission): Promise<WriteConflict> {
      const [facts] = await users
        .aggregate<Facts>(factsPipeline(submission, ofFeatures.bytes()), { readConcern: { level: 'majority' } })
        .toArray();
      if (!facts) return submission.requiresRecord ? { reason: 'no-record' } : { reason: 'retry', view: UNSEEN };
      if (facts.schemaVersion > submission.schemaVersion) throw new OutdatedSchema();
      const parts = await explainParts(submission, facts);
      if (parts === REPAIRED) return { reason: 'repaired' };
      if (parts instanceof StoredBefore) return { reason: 'repeated', record: parts.record };
      const blocked = findBlockedList(facts, submission, maxArrayItems);
      if (blocked?.isFull) return { reason: 'array-full', key: blocked.key };
      if (blocked) {
        await turnIntoArray(users, submission, blocked.key);
        return { reason: 'repaired' };
      }
      const view: RecordView = { parts };
      return facts.size === undefined ? { reason: 'retry', view } : explainSize(facts, submission, view);
    },
  };
}

/** The pipeline that reads {@link Facts}; the sizes only when the record may exceed its limit. */
function factsPipeline(submission: Submission, bytes: object) {
  const { appId, email, change, maxBound, fieldKeys, parts } = submission;
  const growth = submission.growth + mostGrowth(parts);
  const arrays = Object.keys(change.append);
  const mayExceed = growth > 0 && { $gt: [{ $add: [{ $ifNull: ['$sizeBound', 0] }, growth] }, maxBound] };
  const nearLimit = (expression: object) => (mayExceed ? { $cond: [mayExceed, expression, '$$REMOVE'] } : '$$REMOVE');
  const keys = [...Object.keys(change.set), ...(change.unset ?? []), ...Object.keys(change.reset ?? {})];
  const replaced = Object.fromEntries(keys.map((key) => [key, `$data.${key}`]));
  const read = parts?.flatMap(({ name, requires = [], facts }) => [
    ...requires.map((required) => [required.name, required.facts]),
    ...(facts ? [[name, facts()]] : []),
  ]);
  const project = {
    appId: 1,
    createdAt: 1,
    updatedAt: 1,
    schemaVersion: 1,
    arraySizes: 1,
    sizeBound: 1,
    ...(arrays.length > 0 && { types: typesExpression(arrays) }),
    ...(read && read.length > 0 && { parts: Object.fromEntries(read) }),
    size: nearLimit(bytes),
    replaced: nearLimit({ $subtract: [{ $bsonSize: replaced }, { $bsonSize: {} }] }),
    extraKeys: nearLimit(extraKeysExpression(fieldKeys)),
  };
  return [{ $match: { appId, email } }, { $project: project }];
}

/** The first list that a submission cannot append to: it would be too long, or is no list yet. */
export function findBlockedList(
  { types, arraySizes }: { types?: Record<string, string>; arraySizes?: Record<string, number> },
  { change }: Submission,
  maxArrayItems: number,
): { key: string; isFull: boolean } | undefined {
  for (const [key, items] of Object.entries(change.append)) {
    const type = types?.[key] ?? 'missing';
    if (type !== 'missing' && type !== 'array') return { key, isFull: false };
    if ((arraySizes?.[key] ?? 0) + items.length > maxArrayItems) return { key, isFull: true };
  }
  return undefined;
}

/** The BSON types of the stored values of these keys, in an aggregation. */
export function typesExpression(keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, { $type: `$data.${key}` }]));
}

/** Makes a value the first item of an array. Idempotent, and independent of the submission. */
async function turnIntoArray(
  users: UserCollection,
  { appId, email, now, parts = [] }: Submission,
  key: string,
): Promise<void> {
  const path = `data.${key}`;
  const item = { value: `$${path}`, timestamp: now.toISOString() };
  const ofParts = parts.flatMap((part) => part.listed?.(key) ?? []);
  const filter = { appId, email, [path]: { $exists: true, $not: { $type: 'array' } } };
  for (const { filter: condition } of ofParts) Object.assign(filter, condition);
  const set = { [path]: [item], [`arraySizes.${key}`]: 1 };
  for (const { set: changes } of ofParts) Object.assign(set, changes);
  await users.updateOne(typedFilter<UserDocument>(filter), [{ $set: set }]);
}
