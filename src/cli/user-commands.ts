import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { type ExportFormat, exportFormats } from '../users/export/export.ts';
import { COMMAND_LINE, type WithServices } from './command.ts';
import { importCommand } from './import-command.ts';

/** The commands `users export|import` (spec 2.1 and 4.7). */
export function userCommands(withServices: WithServices): Command {
  const users = new Command('users').description("export and import apps' users");

  users
    .command('export')
    .description("write all of an app's users to standard output, newest first")
    .argument('<id>', 'the app')
    .addOption(new Option('--format <format>', 'how').choices(exportFormats).default('csv'))
    .action((id: string, { format }: { format: ExportFormat }) =>
      withServices(async ({ apps, users: service, audit }) => {
        const app = await apps.get(id);
        const content = await service.export(app, { format });
        await audit.record({ action: 'users.exported', actor: COMMAND_LINE, app, detail: { format } });
        try {
          await pipeline(content, process.stdout, { end: false });
        } catch (error) {
          // The reader closed the pipe (`export ... | head`): not an error.
          if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        }
      }),
    );

  users.addCommand(importCommand(withServices));
  return users;
}
