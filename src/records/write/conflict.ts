import type { UUID } from 'mongodb';
import { notAfterEpoch } from '../../apps/index-slots.ts';
import { INLINE_SIZE, type InlineSize, isFull, replacedKeys, withReplaced } from '../history/history-entries.ts';
import { FULL_WORDS, WORD_COUNT } from '../indexes/record-words.ts';
import type { SlotStore } from '../indexes/slots.ts';
import type { WordRecords } from '../indexes/word-records.ts';
import { MAX_OUTBOX } from '../stored/outbox.ts';
import type { AppliedKey, UserCollection, UserDocument } from '../stored/record.ts';
import { isUnmoved, type RecordMoves } from '../stored/record-moves.ts';
import { type EarlierKey, hasSameContent, type IdempotencyKeys } from './idempotency-keys.ts';
import {
  exactBound,
  exceededLimit,
  extraKeysExpression,
  listExtraKeys,
  RECORD_BYTES,
  type RecordLimits,
} from './record-limits.ts';
import { bytesOf } from './record-part.ts';
import { growthOf, MAX_INLINE_KEYS, type RecordView, UNSEEN } from './record-upsert.ts';
import type { Submission } from './submission.ts';

/** The members of a stored record from which a repeat is answered. */
type Answer = Pick<UserDocument, '_id' | 'appId' | 'createdAt' | 'updatedAt'>;

/**
 * The record has the key, with the same data (`repeated`) or with other data.
 * @see AppliedKey for `keptAs`
 */
export type Repeat = { reason: 'repeated'; record: Answer; keptAs: UUID | undefined } | { reason: 'key-reused' };

/** Why the filter of an upsert did not match the stored record. */
export type Conflict =
  | Repeat
  | { reason: 'no-record' }
  | { reason: 'keys-full'; record: Answer }
  | { reason: 'array-full'; key: string }
  | { reason: 'outbox-full' }
  | { reason: 'history-full'; record: Answer }
  | { reason: 'record-full' }
  | { reason: 'too-many-keys' }
  /** The record was moved to new keys, or a value became a list: read it again. */
  | { reason: 'repaired' }
  /** Nothing refuses the write now: repeat it with this view of the record. */
  | { reason: 'retry'; view: RecordView };

/** The record has a newer schema version or newer slots than those of the check. */
export class OutdatedSchema extends Error {
  override readonly name = 'OutdatedSchema';
}

/**
 * Refuses a write that was checked against an earlier schema, or earlier index slots, than those of
 * the record. @throws {OutdatedSchema}
 */
export async function refuseOutdated(
  { appId, schemaVersion, slotEpoch = 0 }: Pick<UserDocument, 'appId' | 'schemaVersion' | 'slotEpoch'>,
  checked: { schemaVersion: number; slotEpoch?: number | undefined },
  catchUp: SlotStore['catchUp'],
): Promise<void> {
  if (schemaVersion > checked.schemaVersion) throw new OutdatedSchema();
  if (slotEpoch <= (checked.slotEpoch ?? 0)) return;
  await catchUp(appId, slotEpoch);
  throw new OutdatedSchema();
}

/**
 * The result of the read. Its size is bounded (invariant 7): of `data` it contains only what the
 * submission removes or resets.
 */
interface Facts
  extends Answer,
    Pick<UserDocument, 'schemaVersion' | 'arraySizes' | 'keyEpoch' | 'sizeBound' | 'slotEpoch'> {
  /** The submission's key, if the record holds it: at most one element. */
  appliedKeys?: AppliedKey[];
  /** Whether values are to be moved to the new keys of fields. Read while renames are pending. */
  isUnmoved?: boolean;
  inlineKeys: number;
  /** The BSON type of the stored value of each array field that the submission appends to. */
  types?: Record<string, string>;
  /** What the parts of the submission read, by their names. */
  parts?: Readonly<Record<string, unknown>>;
  /** The number of waiting events. Read only for an app with consumers. */
  waitingEvents?: number;
  /** The entries of the history. Read only for a submission that adds one. */
  inline?: InlineSize;
  /** The values that the submission removes or resets. Read only for one that adds an entry. */
  before?: Record<string, unknown>;
  /** The number of words. Read only for an app with an index of words. */
  wordCount?: number;
  /** In bytes, without the history. This and the next two are read only near the size limit. */
  size?: number;
  replaced?: number;
  extraKeys?: string[];
}

/** What the reasons of a refused write are read from and repaired with. */
export interface ConflictDeps {
  users: UserCollection;
  keys: Pick<IdempotencyKeys, 'find'>;
  limits: RecordLimits;
  maxArrayItems: number;
  moves: Pick<RecordMoves, 'one'>;
  /** Makes the epoch of an app's slots at least this one. */
  catchUp: SlotStore['catchUp'];
  words: Pick<WordRecords, 'shorten'>;
}

/** Explains why an upsert was refused, and finds the submission that was applied under a key. */
export function createConflictReader(deps: ConflictDeps) {
  const { users, keys, limits, maxArrayItems, moves, catchUp, words } = deps;

  /** The entry of an applied key, from the record or from `applied_keys`. */
  async function findKey(facts: Pick<Facts, '_id' | 'appId' | 'appliedKeys' | 'keyEpoch'>, { key }: AppliedKey) {
    const [inline] = facts.appliedKeys ?? [];
    return inline ?? (facts.keyEpoch ? await keys.find(facts.appId, facts._id, key) : undefined);
  }

  async function explainKey(facts: Facts, applied: AppliedKey): Promise<Conflict | undefined> {
    const found = await findKey(facts, applied);
    if (!found) return facts.inlineKeys >= MAX_INLINE_KEYS ? { reason: 'keys-full', record: facts } : undefined;
    return repeatOf(facts, found, applied);
  }

  /** Compares the exact size with the limits, because `sizeBound` may be far above it. */
  function explainSize(facts: Facts, submission: Submission, view: RecordView): Conflict {
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

  return {
    /**
     * Explains why an upsert failed, and repairs the record if that is the reason. Read concern
     * `majority`: a write that can be rolled back is not stored.
     * @throws {OutdatedSchema} when the submission was checked against an outdated schema
     * @throws {AppError} when a part refuses it
     */
    async resolve(submission: Submission): Promise<Conflict> {
      const { appId, email, applied, renames } = submission;
      const [facts] = await users
        .aggregate<Facts>(factsPipeline(submission), { readConcern: { level: 'majority' } })
        .toArray();
      if (!facts) return submission.requiresRecord ? { reason: 'no-record' } : { reason: 'retry', view: UNSEEN };
      const conflict = applied && (await explainKey(facts, applied));
      if (conflict) return conflict;
      await refuseOutdated(facts, submission, catchUp);
      if ((facts.waitingEvents ?? 0) >= MAX_OUTBOX) return { reason: 'outbox-full' };
      if (facts.inline && isFull(facts.inline)) return { reason: 'history-full', record: facts };
      if (renames && facts.isUnmoved) {
        await moves.one({ appId, email }, renames);
        return { reason: 'repaired' };
      }
      if ((facts.wordCount ?? 0) >= FULL_WORDS) {
        await words.shorten({ appId, email }, submission.slotEpoch ?? 0);
        return { reason: 'repaired' };
      }
      const blocked = findBlockedList(facts, submission, maxArrayItems);
      if (blocked?.isFull) return { reason: 'array-full', key: blocked.key };
      if (blocked) {
        await turnIntoArray(users, submission, blocked.key);
        return { reason: 'repaired' };
      }
      const { parts } = submission;
      const known = parts?.map((part) => [part.name, part.explain(facts.parts?.[part.name])]);
      const view: RecordView = { keyEpoch: facts.keyEpoch ?? 0, parts: known && Object.fromEntries(known) };
      const { before = {} } = facts;
      const entry = submission.entry && withReplaced(submission.entry, submission.change, before, limits.maxEntry);
      if (entry) view.replaced = { values: before, entry };
      return facts.size === undefined ? { reason: 'retry', view } : explainSize(facts, submission, view);
    },

    /** Finds, without a write, the submission of a key, if the record has it. */
    async findApplied(appId: Submission['appId'], email: string, applied: AppliedKey): Promise<Repeat | undefined> {
      const appliedKeys = { $elemMatch: { key: applied.key } };
      const projection = { appId: 1, createdAt: 1, updatedAt: 1, keyEpoch: 1, appliedKeys };
      const record = await users.findOne({ appId, email }, { projection, readConcern: 'majority' });
      const found = record && (await findKey(record, applied));
      return found ? repeatOf(record, found, applied) : undefined;
    },
  };
}

const repeatOf = (record: Answer, found: EarlierKey, applied: AppliedKey): Repeat =>
  hasSameContent(found, applied) ? { reason: 'repeated', record, keptAs: found.keptAs } : { reason: 'key-reused' };

/** The pipeline that reads {@link Facts}; the sizes only when the record may exceed its limit. */
function factsPipeline(submission: Submission) {
  const { appId, email, applied, change, maxBound, fieldKeys, parts, renames } = submission;
  const growth = submission.growth + bytesOf(parts);
  const arrays = Object.keys(change.append);
  const inline = { $ifNull: ['$appliedKeys', []] };
  const mayExceed = growth > 0 && { $gt: [{ $add: [{ $ifNull: ['$sizeBound', 0] }, growth] }, maxBound] };
  const nearLimit = (expression: object) => (mayExceed ? { $cond: [mayExceed, expression, '$$REMOVE'] } : '$$REMOVE');
  const before = replacedKeys(change);
  const replaced = valuesOf([...Object.keys(change.set), ...(before ?? [])]);
  const project = {
    appId: 1,
    createdAt: 1,
    updatedAt: 1,
    schemaVersion: 1,
    arraySizes: 1,
    keyEpoch: 1,
    sizeBound: 1,
    slotEpoch: 1,
    ...(applied && {
      appliedKeys: { $filter: { input: inline, cond: { $eq: ['$$this.key', applied.key] } } },
    }),
    inlineKeys: { $size: inline },
    ...(arrays.length > 0 && { types: typesExpression(arrays) }),
    ...(parts && { parts: Object.fromEntries(parts.map((part) => [part.name, part.facts()])) }),
    ...(renames && { isUnmoved: isUnmoved(renames) }),
    ...(submission.hasConsumers && { waitingEvents: { $size: { $ifNull: ['$outbox', []] } } }),
    ...(submission.entry && { inline: { ...INLINE_SIZE, historyBytes: '$historyBytes' } }),
    ...(submission.entry && before && { before: valuesOf(before) }),
    ...(submission.words && { wordCount: WORD_COUNT }),
    size: nearLimit(RECORD_BYTES),
    replaced: nearLimit({ $subtract: [{ $bsonSize: replaced }, { $bsonSize: {} }] }),
    extraKeys: nearLimit(extraKeysExpression(fieldKeys)),
  };
  return [{ $match: { appId, email } }, { $project: project }];
}

/** The stored values of these keys, in an aggregation. */
const valuesOf = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, `$data.${key}`]));

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
  { appId, email, now, slots = [], slotEpoch }: Submission,
  key: string,
): Promise<void> {
  const path = `data.${key}`;
  const item = { value: `$${path}`, timestamp: now.toISOString() };
  // A list has no index value.
  const emptied = Object.fromEntries(slots.filter((write) => write.key === key).map(({ slot }) => [slot, null]));
  const fence = slotEpoch !== undefined && notAfterEpoch(slotEpoch);
  await users.updateOne({ appId, email, [path]: { $exists: true, $not: { $type: 'array' } }, ...fence }, [
    { $set: { [path]: [item], [`arraySizes.${key}`]: 1, ...emptied, ...(fence && { slotEpoch }) } },
  ]);
}
