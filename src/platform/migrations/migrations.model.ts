import { ObjectId, type UpdateFilter } from 'mongodb';
import type { Connection } from '../database/client.ts';
import type { Collection } from '../database/collections.ts';
import { isOnlyDuplicates } from '../database/failures.ts';
import { createModel, type DocumentOf, Mixed, type Model, only, schema } from '../database/mongoose.ts';
import type { Fence, Migration, Phase } from './migration.ts';

/** `checking`: a contraction that has not begun, while it searches for servers that prevent it. */
export type MigrationState = 'waiting' | 'expanding' | 'expanded' | 'checking' | 'contracting' | 'contracted';

/** The progress of one migration. `_id` is its number. */
const migrationSchema = schema(
  {
    _id: { type: Number, required: true },
    name: { type: String, required: true },
    state: { type: only<MigrationState>(String), required: true },
    /** The turn of a migrator that may write the document: each one replaces it. */
    turn: ObjectId,
    position: Mixed,
    /** The documents that its present or last part has changed. */
    changed: { type: Number, required: true },
    /** How often each part was completed: once. */
    expansions: { type: Number, required: true },
    contractions: { type: Number, required: true },
  },
  { collection: 'migrations', placement: 'one document for each migration' },
);
export type MigrationDocument = DocumentOf<typeof migrationSchema>;

/** The model of `migrations`. */
export const createMigrationModel = (connection: Connection): Model<MigrationDocument> =>
  createModel(connection, migrationSchema);

/** The states in which a part may begin or continue, and while it runs. */
const PARTS = {
  expand: { startable: ['waiting', 'expanding'], running: 'expanding' },
  contract: { startable: ['contracting'], running: 'contracting' },
} as const;

const NO_PROGRESS = { changed: 0, expansions: 0, contractions: 0 };

export type MigrationStore = ReturnType<typeof createMigrationStore>;

/**
 * The progress of migrations. Only the turn that the document names writes it, and a turn enters
 * itself only while it holds the lock, so what a stalled migrator sends late changes nothing.
 */
export function createMigrationStore(migrations: Collection<MigrationDocument>) {
  const move = async (
    filter: { _id: number; state: MigrationState | { $in: MigrationState[] }; turn?: ObjectId; $expr?: object },
    update: UpdateFilter<MigrationDocument>,
  ): Promise<boolean> => (await migrations.updateOne(filter, update)).matchedCount === 1;

  return {
    /** Resolves with all documents by number, also those of later releases. */
    async read(): Promise<Map<number, MigrationDocument>> {
      return new Map((await migrations.find().toArray()).map((document) => [document._id, document]));
    },

    /** Stores that a new database needs no migration. Of several servers one does. */
    async skipAll(all: readonly Migration[]): Promise<void> {
      if (all.length === 0) return;
      const documents = all.map(({ number, name, contract }): MigrationDocument => {
        return { _id: number, name, state: contract ? 'contracted' : 'expanded', ...NO_PROGRESS };
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
      const initial = { name, state: 'waiting' as const, ...NO_PROGRESS };
      await migrations.updateOne({ _id }, { $setOnInsert: initial }, { upsert: true });
      const { startable, running } = PARTS[phase];
      const found = await migrations.findOneAndUpdate(
        { _id, state: { $in: [...startable] }, ...fence },
        { $set: { state: running, turn } },
        { returnDocument: 'after' },
      );
      return found ?? undefined;
    },

    /**
     * Announces a contraction, or takes over the announcement of a migrator that ended. False: the
     * contraction has begun.
     */
    announce: (_id: number, turn: ObjectId, fence: Fence): Promise<boolean> =>
      move({ _id, state: { $in: ['expanded', 'checking'] }, ...fence }, { $set: { state: 'checking', turn } }),

    /** False: a server of an earlier release has started, or another turn works. */
    beginContraction: (_id: number, turn: ObjectId): Promise<boolean> =>
      move({ _id, state: 'checking', turn }, { $set: { state: 'contracting', changed: 0 }, $unset: { position: 1 } }),

    /** Takes an announcement back; with a turn only its own. */
    retract: (_id: number, turn?: ObjectId): Promise<boolean> =>
      move({ _id, state: 'checking', ...(turn && { turn }) }, { $set: { state: 'expanded' } }),

    /** Stores the end of a step. False: another turn works. */
    advance: (_id: number, phase: Phase, turn: ObjectId, changed: number, position: unknown): Promise<boolean> =>
      move({ _id, state: PARTS[phase].running, turn }, { $set: { position }, $inc: { changed } }),

    /** Stores the end of a part. False: another turn works. */
    finish(_id: number, phase: Phase, turn: ObjectId, changed: number): Promise<boolean> {
      const ended: UpdateFilter<MigrationDocument> =
        phase === 'expand'
          ? { $set: { state: 'expanded' }, $inc: { changed, expansions: 1 } }
          : { $set: { state: 'contracted' }, $inc: { changed, contractions: 1 } };
      return move({ _id, state: PARTS[phase].running, turn }, { ...ended, $unset: { position: 1, turn: 1 } });
    },
  };
}
