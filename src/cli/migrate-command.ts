import { Command } from 'commander';
import { MAX_PENDING, type MigrationStatus } from '../migrations/migrator.ts';
import { say, type Tool } from './command.ts';

/** `user-collection migrate`: migrations of stored data (docs/operations.md, "Upgrades"). */
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
          for (const status of await migrator.status()) {
            say(streams, describe(status, dryRun ? await pending(status) : undefined));
          }

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
