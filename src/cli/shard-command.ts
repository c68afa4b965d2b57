import { Command } from 'commander';
import type { ShardPlan } from '../database/sharding.ts';
import { say, type Tool } from './command.ts';

/** The command `shard --print | --apply` (docs/sharding.md). */
export function shardCommand({ withConnection, streams }: Tool): Command {
  const command = new Command('shard')
    .description('shard the collections of the database on a MongoDB cluster')
    .option('--print', 'print the commands for mongosh; connects to no database')
    .option('--apply', 'run them; MONGODB_URI must lead to a mongos');
  return command.action(async ({ print, apply }: { print?: true; apply?: true }) => {
    if (print === apply) command.error('error: give either --print or --apply');
    const { planShards, assertMongos, applyShards } = await import('../database/sharding.ts');
    await withConnection({ isOpen: apply === true }, async ({ client, database, collections, ensureIndexes }) => {
      const plan = planShards(database, collections);
      if (print) return say(streams, printed(plan));
      await assertMongos(client);
      // The unique indexes first: a sharded collection accepts only those that begin with its key.
      await ensureIndexes();
      await applyShards(client, plan, ({ shell }) => say(streams, shell));
    });
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
