import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { type ExportFormat, exportFormats } from '../users/export/export.ts';
import type { WithServices } from './command.ts';
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
      withServices(async ({ apps, users: service }) => {
        const content = await service.export(await apps.get(id), { format });
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
