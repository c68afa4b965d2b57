import type { IndexDefinition, IndexOptions } from 'mongoose';

/** A model as far as its indexes go. */
interface Indexed {
  schema: { indexes(): [IndexDefinition, IndexOptions][] };
  collection: { createIndex(keys: IndexDefinition, options: IndexOptions): Promise<unknown> };
}

/**
 * Creates the indexes that models declare, and resolves when they are there. The service must not listen before: without its unique index two first
 * submissions of one email would make two records (DESIGN section 3, invariant 2). Safe when several servers do it at once.
 */
export async function ensureIndexes(models: readonly unknown[]): Promise<void> {
  for (const { schema, collection } of models as Indexed[]) {
    for (const [keys, { background: _, ...options }] of schema.indexes()) {
      await collection.createIndex(keys, options as IndexOptions);
    }
  }
}
