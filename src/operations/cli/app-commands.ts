import { createInterface } from 'node:readline/promises';
import { Command, Option } from 'commander';
import type { Role } from '../../core/apps/app.ts';
import type { NewPassword } from '../../core/apps/apps.service.ts';
import { CommandFailed } from '../../platform/core/errors.ts';
import { APP_ID_FORMAT } from '../../platform/core/identifiers.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { COMMAND_LINE, note, type Streams, say, type Tool } from './command.ts';

/** The commands `app create|list|delete|rotate-password` (spec 5.2, rule 6). */
export function appCommands({ withServices, streams }: Tool): Command {
  const app = new Command('app').description('create, list and delete apps, and give them new passwords');

  app
    .command('create')
    .description('create an app; prints its password, which cannot be shown again')
    .argument('<id>', `its sourceAppId: ${APP_ID_FORMAT}`)
    .addOption(new Option('--role <role>', 'what it may do').choices(['user', 'admin']).default('user'))
    .action((id: string, { role }: { role: Role }) =>
      withServices(async ({ apps, audit }) => {
        const created = await apps.create(id, role);
        await audit.record({ action: 'app.created', actor: COMMAND_LINE, app: created.app, target: id });
        printPassword(streams, 'Created app', created);
      }),
    );

  app
    .command('list')
    .description('list all apps: id, role, time of creation, separated by tabs')
    .action(() =>
      withServices(async ({ apps }) => {
        for await (const { sourceAppId, role, createdAt } of apps.list()) {
          say(streams, `${sourceAppId}\t${role}\t${createdAt.toISOString()}`);
        }
      }),
    );

  app
    .command('delete')
    .description('delete an app with all its users; asks for the id to be typed')
    .argument('<id>', 'its sourceAppId')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes }: { yes?: true }) => {
      if (!yes) await confirm(streams, id);
      await withServices(async ({ removal, audit, clock }) => {
        const deletedUsers = await removal.remove(id, clock.within(READ_HOLDS_MS));
        const app = { sourceAppId: id };
        await audit.record({ action: 'app.deleted', actor: COMMAND_LINE, app, target: id, detail: { deletedUsers } });
        say(streams, `Deleted app ${id} and ${deletedUsers} users`);
      });
    });

  app
    .command('rotate-password')
    .description('give an app a new password; its sessions end at once')
    .argument('<id>', 'its sourceAppId')
    .action((id: string) =>
      withServices(async ({ apps, audit, clock }) => {
        const replaced = await apps.rotatePassword(id, clock.within(READ_HOLDS_MS));
        await audit.record({ action: 'password.replaced', actor: COMMAND_LINE, app: replaced.app, target: id });
        printPassword(streams, 'New password for app', replaced);
      }),
    );

  return app;
}

function printPassword(streams: Streams, action: string, { app, password }: NewPassword): void {
  say(streams, `${action} ${app.sourceAppId} (role ${app.role})`);
  say(streams, `Password: ${password}`);
  note(streams, 'It is stored as a hash only and cannot be shown again.');
}

async function confirm({ stdin, stderr }: Streams, id: string): Promise<void> {
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const typed = await Promise.race([
      terminal.question(`This deletes ${id} and all its users. Type the id to continue: `),
      closed,
    ]);
    if (typed.trim() !== id)
      throw new CommandFailed('Not deleted: the id was not typed. Where nobody can type, use --yes');
  } finally {
    terminal.close();
  }
}
