import { Command } from 'commander';
import { ConfigError, loadConfig } from '../../platform/core/config.ts';
import type { ShardPlan } from '../../platform/database/sharding.ts';
import { MAX_PENDING, type MigrationStatus } from '../../platform/migrations/migrator.ts';
import { say, type Tool } from './command.ts';

/** The command `migrate`: migrations of stored data (docs/operations.md, "Upgrades"). */
export function migrateCommand({ streams, withServices }: Tool): Command {
  return new Command('migrate')
    .description(
      'Runs the migrations of stored data that this release needs, beside servers of this and of the earlier release, and creates indexes.',
    )
    .option('--contract', 'also removes what only earlier releases use; refused while one of their servers runs')
    .option('--dry-run', 'prints what would be done, and changes nothing')
    .action(({ contract = false, dryRun = false }: { contract?: boolean; dryRun?: boolean }) =>
      withServices(
        async (services) => {
          const { migrator } = services;
          if (!dryRun) {
            await services.prepare(true);
            if (contract) await migrator.contract();
          }
          let isMissing = false;
          for (const status of await migrator.status()) {
            const count = dryRun ? await pending(status) : undefined;
            isMissing ||= count !== undefined;
            say(streams, describe(status, count));
          }
          if (dryRun && !isMissing) say(streams, 'Nothing is missing: no migration would run.');

          async function pending({ number, next }: MigrationStatus): Promise<number | undefined> {
            if (next === undefined || (next === 'contract' && !contract)) return undefined;
            return migrator.pending(number, next);
          }
        },
        { prepare: false },
      ),
    );
}

function describe({ number, name, state, next }: MigrationStatus, pending: number | undefined): string {
  const line = `${number}  ${name}: ${state}`;
  if (pending === undefined) return next === 'contract' ? `${line}; "migrate --contract" contracts it` : line;
  const count = pending >= MAX_PENDING ? `${MAX_PENDING} or more` : String(pending);
  return `${line}; would ${next === 'expand' ? 'run' : 'be contracted'}, to change: ${count}`;
}

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
    const { planShards, assertMongos, applyShards } = await import('../../platform/database/sharding.ts');
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
