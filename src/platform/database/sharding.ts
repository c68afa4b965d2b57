import type { CreateIndexesOptions, Document, MongoClient } from 'mongodb';
import { NamedError } from '../core/errors.ts';
import { hello } from './collections.ts';
import { indexCommand } from './indexes.ts';
import type { CollectionSchema, ShardKey } from './mongoose.ts';

/** One command that shards a part of the database, in the form of mongosh and of the driver. */
interface ShardStep {
  shell: string;
  /** The database of the command. */
  database: string;
  command: Document;
}

/** How a sharded cluster keeps the database of the service (docs/sharding.md). */
export type ShardPlan = ReturnType<typeof planShards>;

/** Plans the commands that shard the collections that declare a key. Each can be repeated. */
export function planShards(database: string, collections: readonly CollectionSchema[]) {
  const sorted = collections.toSorted(({ options: one }, { options: other }) =>
    one.collection < other.collection ? -1 : 1,
  );
  return {
    enable: {
      database: 'admin',
      command: { enableSharding: database },
      shell: `sh.enableSharding(${JSON.stringify(database)});`,
    } satisfies ShardStep,
    sharded: sorted.flatMap((schema) => {
      const { collection: name, shardKey, placement: reason } = schema.options;
      if (!shardKey) return [];
      const steps = [supportingIndex(database, schema, shardKey), shardStep(database, name, shardKey)];
      return [{ name, shardKey, reason, steps: steps.filter((step) => step !== undefined) }];
    }),
    /** The collections that stay on the primary shard. */
    whole: sorted.flatMap(({ options: { collection: name, shardKey, placement: reason } }) =>
      shardKey ? [] : [{ name, reason }],
    ),
  };
}

/**
 * MongoDB splits a collection by an index that begins with the key and has all its documents.
 * Undefined for a key on `_id`, whose index exists.
 */
function supportingIndex(database: string, schema: CollectionSchema, shardKey: ShardKey): ShardStep | undefined {
  if (isSameKey(shardKey, { _id: 1 })) return undefined;
  const name = schema.options.collection;
  const [keys, options] = schema
    .indexes()
    .find(
      ([declared, { partialFilterExpression, sparse }]) =>
        !partialFilterExpression && !sparse && isSameKey(declared, shardKey),
    ) ?? [shardKey, {} satisfies CreateIndexesOptions];
  const shellOptions = Object.keys(options).length > 0 ? `, ${inShell(options)}` : '';
  return {
    database,
    command: indexCommand(name, [[keys, options]]),
    shell: `db.getSiblingDB(${JSON.stringify(database)}).${name}.createIndex(${inShell(keys)}${shellOptions});`,
  };
}

function shardStep(database: string, name: string, key: ShardKey): ShardStep {
  const namespace = `${database}.${name}`;
  return {
    database: 'admin',
    command: { shardCollection: namespace, key },
    shell: `sh.shardCollection(${JSON.stringify(namespace)}, ${inShell(key)});`,
  };
}

const isSameKey = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A document of numbers and booleans as mongosh reads it: `{ appId: 1, _id: 1 }`. */
function inShell(document: object): string {
  const members = Object.entries(document).map(([member, value]) => {
    const name = member.includes('.') ? JSON.stringify(member) : member;
    return `${name}: ${JSON.stringify(value)}`;
  });
  return `{ ${members.join(', ')} }`;
}

/** The database is no sharded cluster, or this process is not connected to its router. */
class NotSharded extends NamedError {}

/** @throws {NotSharded} when the client is not connected to a mongos, the router of a cluster */
export async function assertMongos(client: MongoClient): Promise<void> {
  const { msg, setName } = await hello(client);
  if (msg === 'isdbgrid') return;
  const found = setName === undefined ? 'a standalone mongod' : `a member of the replica set ${setName}`;
  throw new NotSharded(
    `MONGODB_URI leads to ${found}, not to a mongos. Only the mongos of a sharded cluster can shard collections. Nothing was changed.`,
  );
}

/** Runs the steps in their order. @param onDone called after each */
export async function applyShards(
  client: MongoClient,
  { enable, sharded }: ShardPlan,
  onDone: (step: ShardStep) => void,
): Promise<void> {
  for (const step of [enable, ...sharded.flatMap(({ steps }) => steps)]) {
    await client.db(step.database).command(step.command);
    onDone(step);
  }
}
