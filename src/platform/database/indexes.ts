import { MongoNetworkTimeoutError } from 'mongodb';
import type { Connection } from './client.ts';
import { hello } from './collections.ts';
import type { CollectionSchema, IndexDeclaration } from './mongoose.ts';

/** A model of any document, for the creation of its indexes. */
export type CollectionIndexes = { schema: CollectionSchema };

/** When its time is over, MongoDB aborts the build; that of a very large collection takes hours. */
export const INDEX_BUILD_TIME_MS = 24 * 60 * 60 * 1_000;

/**
 * The command that creates indexes of a collection, with the names that the driver gives. The
 * driver's own method removes the time limit from its options.
 */
export const indexCommand = (collection: string, indexes: readonly IndexDeclaration[]) => ({
  createIndexes: collection,
  indexes: indexes.map(([key, options]) => ({ key, name: Object.entries(key).flat().join('_'), ...options })),
  maxTimeMS: INDEX_BUILD_TIME_MS,
});

/**
 * Creates the indexes that models declare. The service must not listen before: without the unique
 * index, concurrent first submissions of one email create two records (invariant 2). Submissions to
 * other servers pass while an index is built.
 */
export async function ensureIndexes(connection: Connection, models: readonly CollectionIndexes[]): Promise<void> {
  const client = connection.getClient();
  const { setName, msg } = await hello(client);
  // By default a build waits for all members, also for one that is down.
  const quorum = setName !== undefined || msg === 'isdbgrid' ? { commitQuorum: 'majority' as const } : {};
  for (const { schema } of models) {
    const indexes = schema.indexes();
    if (indexes.length === 0) continue;
    const durable = { ...quorum, writeConcern: { w: 'majority', j: true } };
    const command = { ...indexCommand(schema.options.collection, indexes), ...durable };
    await build(() => client.db(connection.name).command(command));
  }
}

/**
 * Repeats the statement when the connection ends: the driver gives a connection up that is silent
 * for 30 s, but the build continues, and the same statement joins it.
 */
async function build(create: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + INDEX_BUILD_TIME_MS;
  for (;;) {
    try {
      await create();
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError) || performance.now() > until) throw error;
    }
  }
}
