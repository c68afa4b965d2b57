import type { ObjectId } from 'mongodb';
import { isOnlyDuplicates } from '../database/failures.ts';
import type { Migration, MigrationCollection, MigrationDocument, MigrationState } from './migration.ts';

export type Phase = 'expand' | 'contract';

const RUNNING = { expand: 'expanding', contract: 'contracting' } as const;

type Fence = { $expr: object };

export type MigrationStore = ReturnType<typeof createMigrationStore>;

/**
 * The progress of migrations. Only the turn that the document names writes it, and a turn enters
 * itself only while it holds the lock, so what a stalled migrator sends late changes nothing.
 */
export function createMigrationStore(migrations: MigrationCollection) {
  const move = async (
    filter: { _id: number; state: MigrationState; turn?: ObjectId; $expr?: object },
    $set: Partial<MigrationDocument>,
  ): Promise<boolean> => (await migrations.updateOne(filter, { $set })).matchedCount === 1;

  return {
    /** Resolves with all documents by number, also those of later releases. */
    async read(): Promise<Map<number, MigrationDocument>> {
      return new Map((await migrations.find().toArray()).map((document) => [document._id, document]));
    },

    /** Stores that a new database needs no migration. Of several servers one does. */
    async skipAll(all: readonly Migration[]): Promise<void> {
      const documents = all.map(({ number, name, contract }): MigrationDocument => {
        const state = contract ? 'contracted' : 'expanded';
        return { _id: number, name, state, changed: 0, expansions: 0, contractions: 0 };
      });
      try {
        await migrations.insertMany(documents, { ordered: false });
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw error;
      }
    },

    /** Enters a turn. Resolves with the position to continue from; undefined: the part is done. */
    async begin(
      { number: _id, name }: Migration,
      phase: Phase,
      turn: ObjectId,
      fence: Fence,
    ): Promise<MigrationDocument | undefined> {
      const initial = { name, state: 'waiting' as const, changed: 0, expansions: 0, contractions: 0 };
      await migrations.updateOne({ _id }, { $setOnInsert: initial }, { upsert: true });
      if (phase === 'expand') await move({ _id, state: 'waiting', ...fence }, { state: 'expanding', turn });
      const found = await migrations.findOneAndUpdate(
        { _id, state: RUNNING[phase], ...fence },
        { $set: { turn } },
        { returnDocument: 'after' },
      );
      return found ?? undefined;
    },

    /** Announces a contraction. False: it was announced before, or is done. */
    check: (_id: number, turn: ObjectId, fence: Fence): Promise<boolean> =>
      move({ _id, state: 'expanded', ...fence }, { state: 'checking', turn }),

    /** Takes over the announcement of a migrator that ended. */
    checkAgain: (_id: number, turn: ObjectId, fence: Fence): Promise<boolean> =>
      move({ _id, state: 'checking', ...fence }, { turn }),

    /** False: a server of an earlier release has started. */
    async beginContraction(_id: number, turn: ObjectId): Promise<boolean> {
      const update = { $set: { state: 'contracting' as const, changed: 0 }, $unset: { position: 1 as const } };
      return (await migrations.updateOne({ _id, state: 'checking', turn }, update)).matchedCount === 1;
    },

    /** Takes an announcement back; with a turn only its own. */
    retract: (_id: number, turn?: ObjectId): Promise<boolean> =>
      move({ _id, state: 'checking', ...(turn && { turn }) }, { state: 'expanded' }),

    /** Stores the end of a step. False: another turn works. */
    async advance(_id: number, phase: Phase, turn: ObjectId, changed: number, position: unknown): Promise<boolean> {
      const update = { $set: { position }, $inc: { changed } };
      return (await migrations.updateOne({ _id, state: RUNNING[phase], turn }, update)).matchedCount === 1;
    },

    /** Stores the end of a part. False: another turn works. */
    async finish(_id: number, phase: Phase, turn: ObjectId, changed: number): Promise<boolean> {
      const [$set, $currentDate, $inc] =
        phase === 'expand'
          ? [{ state: 'expanded' as const }, { expandedAt: true as const }, { changed, expansions: 1 }]
          : [{ state: 'contracted' as const }, { contractedAt: true as const }, { changed, contractions: 1 }];
      const update = { $set, $currentDate, $inc, $unset: { position: 1 as const, turn: 1 as const } };
      return (await migrations.updateOne({ _id, state: RUNNING[phase], turn }, update)).matchedCount === 1;
    },
  };
}
