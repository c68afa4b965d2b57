import type { ObjectId, UUID } from 'mongodb';
import { NEWEST_FIRST, theseRecords, type UserCollection, type UserDocument } from '../../core/users/users.model.ts';
import { changing } from '../../platform/database/filters.ts';
import { INDEX_BUILD_TIME_MS } from '../../platform/database/indexes.ts';
import { LATE_WRITE_ENDS_MS, SUSPENDED_WRITE_ENDS_MS } from '../../platform/database/lateness.ts';
import type { StepContext } from '../../platform/jobs/job.ts';
import { createRecordPasses, isUnknown, type PassDeps } from '../record-reads/record-passes.ts';
import { type IndexUse, notAfterEpoch, type SlotName } from './index-slots.ts';
import type { IndexUses, OpenApp } from './index-uses.ts';

/** Read before the records, so that late writes change no later state (decision 21). */
export interface BuildFence {
  slotEpoch: number;
  /** The newest version of the schema, for values by key: a later one may rename fields. */
  schemaVersion?: number;
}

/** The values of records that are later than those of the fence. */
type Ahead = Partial<BuildFence>;

export interface BuiltBatch {
  read: number;
  /** Undefined when there is none after `from`. */
  last: UUID | undefined;
  /** Whether a record changed between read and write: read the batch again. */
  isDisturbed: boolean;
  ahead: Ahead;
}

interface DroppedBatch {
  /** The records with the member, and those from which it was removed. */
  found: number;
  dropped: number;
  ahead: Ahead;
}

export function latestAfter(
  fence: BuildFence,
  records: readonly { slotEpoch?: number; schemaVersion?: number }[],
): Ahead {
  const ahead: Ahead = {};
  const { slotEpoch: knownEpoch, schemaVersion: knownVersion = Number.POSITIVE_INFINITY } = fence;
  for (const { slotEpoch = 0, schemaVersion = 0 } of records) {
    if (slotEpoch > (ahead.slotEpoch ?? knownEpoch)) ahead.slotEpoch = slotEpoch;
    if (schemaVersion > (ahead.schemaVersion ?? knownVersion)) ahead.schemaVersion = schemaVersion;
  }
  return ahead;
}

/** The index on a member that only the records of some apps have. */
export function createMemberIndex(users: UserCollection, member: SlotName | 'words', keys: Record<string, 1 | -1>) {
  const hasMember = { [member]: { $exists: true } };
  let exists = false;

  return {
    /** Not at the start: each index costs time in every submission (decision 21). */
    async ensure(): Promise<void> {
      if (exists) return;
      await users.createIndex(keys, { partialFilterExpression: hasMember, maxTimeMS: INDEX_BUILD_TIME_MS });
      exists = true;
    },

    isEmpty: async (appId: ObjectId): Promise<boolean> =>
      (await users.findOne({ appId }, { projection: { _id: 1 }, hint: NEWEST_FIRST })) === null,

    /** Removes the member from at most `limit` records. */
    async drop(appId: ObjectId, limit: number, fence: BuildFence): Promise<DroppedBatch> {
      const { slotEpoch } = fence;
      const options = { projection: { email: 1, slotEpoch: 1 }, hint: keys, limit };
      const found = await users.find({ appId, ...hasMember }, options).toArray();
      if (found.length === 0) return { found: 0, dropped: 0, ahead: {} };
      const { matchedCount } = await users.updateMany(
        { ...theseRecords(appId, found), ...notAfterEpoch(slotEpoch) },
        changing<UserDocument>({ $unset: { [member]: 1 }, ...(slotEpoch > 0 && { $set: { slotEpoch } }) }),
        { hint: NEWEST_FIRST },
      );
      return { found: found.length, dropped: matchedCount, ahead: latestAfter(fence, found) };
    },
  };
}

/** Creates the work of a job that builds, checks and drops the uses of indexes of apps. */
export function createIndexBuilds<Use extends IndexUse>(
  deps: PassDeps & {
    store: Pick<IndexUses<Use>, 'setKnown' | 'advance' | 'finish' | 'remove'>;
    records: {
      indexOf(use: Use): ReturnType<typeof createMemberIndex>;
      /** Fills `limit` records after `from`, newest first. */
      build(
        appId: ObjectId,
        uses: readonly Use[],
        from: UUID | undefined,
        limit: number,
        fence: BuildFence,
      ): Promise<BuiltBatch>;
    };
    noteAhead(appId: ObjectId, ahead: Ahead): Promise<void>;
    /** The wait after the last one of `checksMs`; undefined: no check follows. */
    laterChecksMs?: number;
    onRemoved?(): void;
  },
) {
  const { store, records, countForDisplay, revision, noteAhead, laterChecksMs, onRemoved } = deps;
  // A record that a build misses would be missing from answers, so a build waits for late writes.
  const passes = createRecordPasses({
    ...deps,
    writesEndMs: deps.writesEndMs ?? LATE_WRITE_ENDS_MS,
    checksMs: deps.checksMs ?? [SUSPENDED_WRITE_ENDS_MS],
  });

  /** Resolves with whether records are left. */
  async function drop(appId: ObjectId, use: Use, fence: BuildFence, context: StepContext): Promise<boolean> {
    let { done } = use;
    const result = await passes.inBatches(context, async (limit) => {
      const { found, dropped, ahead } = await records.indexOf(use).drop(appId, limit, fence);
      if (found === 0) {
        await store.remove(appId, use);
        onRemoved?.();
        return 'end';
      }
      done += dropped;
      if (dropped === found) return undefined;
      await noteAhead(appId, ahead);
      return 'behind';
    });
    if (result === undefined || result === 'behind') {
      await store.advance(appId, [use], { done, total: Math.max(use.total, done) });
    }
    return result !== 'end';
  }

  /** Builds or checks uses with the same progress. */
  async function pass(
    { appId, now }: OpenApp<Use>,
    uses: readonly [Use, ...Use[]],
    fence: BuildFence,
    context: StepContext,
  ): Promise<void> {
    const [{ state, checks = 0 }] = uses;
    let [{ done, total, position }] = uses;
    const isBuild = state === 'building';
    if (isBuild && position === undefined) total = await countForDisplay(appId);
    const result = await passes.inBatches(context, async (limit) => {
      const { read, last, isDisturbed, ahead } = await records.build(appId, uses, position, limit, fence);
      if (!isDisturbed) {
        done += read;
        position = last;
        return read < limit ? 'end' : undefined;
      }
      if (Object.keys(ahead).length === 0) return undefined;
      await noteAhead(appId, ahead);
      return 'behind';
    });
    if (result === 'stopped') return;
    if (result === 'end') {
      const later = laterChecksMs === undefined ? undefined : new Date(now.getTime() + laterChecksMs);
      await store.finish(appId, uses, done, passes.nextCheck(now, isBuild ? 0 : checks + 1) ?? later);
      if (isBuild) await revision.bump(); // so that servers use the index soon
      return;
    }
    const progress = isBuild && { done, total: Math.max(total, done) };
    await store.advance(appId, uses, { ...progress, ...(position && { position }) });
  }

  return {
    announce: (open: readonly OpenApp<Use>[]): Promise<void> =>
      passes.announce(
        open.flatMap(({ appId, uses, now }) =>
          uses.filter((use) => use.state !== 'ready' && isUnknown(use, now)).map((use) => ({ appId, use })),
        ),
        async ({ appId, use }) => store.setKnown(appId, use, await records.indexOf(use).isEmpty(appId)),
      ),

    /** Works on one app for a while. Resolves with whether more work waits. */
    async workOn(app: OpenApp<Use>, fence: BuildFence, context: StepContext): Promise<boolean> {
      const { uses, now } = app;
      const settled = uses.filter((use) => use.state !== 'ready' && passes.isSettled(use, now));
      for (const use of settled) await records.indexOf(use).ensure();
      const dropping = settled.filter(({ state }) => state === 'dropping');
      for (const use of dropping) {
        if (await drop(app.appId, use, fence, context)) return true;
      }
      const isDue = ({ checkAt }: Use): boolean => checkAt !== undefined && checkAt <= now;
      const [first, ...others] = [...settled.filter(({ state }) => state === 'building'), ...uses.filter(isDue)];
      if (!first) return dropping.length > 0;
      // Those with the same progress share one pass over the records.
      const together = others.filter((use) => progressOf(use) === progressOf(first));
      await pass(app, [first, ...together], fence, context);
      return true;
    },
  };
}

const progressOf = ({ state, position, checkAt }: IndexUse): string => `${state} ${position} ${checkAt?.getTime()}`;
