import { Command } from 'commander';
import { ConfigError, loadConfig } from '../core/config.ts';
import type { ShardPlan } from '../database/sharding.ts';
import { say, type Tool } from './command.ts';

/** The command `shard --print | --apply` (docs/sharding.md). */
export function shardCommand({ withServices, streams, env }: Tool): Command {
  const command = new Command('shard')
    .description('shard the collections of the database on a MongoDB cluster')
    .option('--print', 'print the commands for mongosh; connects to no database')
    .option('--apply', 'run them; MONGODB_URI must lead to a mongos');
  return command.action(async ({ print, apply = false }: { print?: true; apply?: boolean }) => {
    if (apply === (print ?? false)) command.error('error: give either --print or --apply');
    if (apply && loadConfig(env).mongodbUri === undefined) {
      throw new ConfigError(['MONGODB_URI is not set; the embedded database is one mongod, not a sharded cluster']);
    }
    const { planShards, assertMongos, applyShards } = await import('../database/sharding.ts');
    await withServices(
      async ({ collections, createIndexes }, connection) => {
        const plan = planShards(connection.name, collections);
        if (print) return say(streams, printed(plan));
        const client = connection.getClient();
        await assertMongos(client);
        // The unique indexes first: a sharded collection accepts only those that begin with its
        // key.
        await createIndexes();
        await applyShards(client, plan, ({ shell }) => say(streams, shell));
      },
      { prepare: false, connect: apply },
    );
  });
}

function printed({ enable, sharded, whole }: ShardPlan): string {
  return [
    '// For mongosh, connected to a mongos of the cluster, after one start of this version.',
    enable.shell,
    ...sharded.flatMap(({ name, reason, steps }) => ['', `// ${name}: ${reason}`, ...steps.map(({ shell }) => shell)]),
    '',
    '// These stay on the primary shard of the database:',
    ...whole.map(({ name, reason }) => `//   ${name}: ${reason}`),
  ].join('\n');
}
