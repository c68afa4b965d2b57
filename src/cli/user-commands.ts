import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { type ExportFormat, exportFormats, exportUsers } from '../users/export/export.ts';
import type { WithServices } from './command.ts';

/** The command `users export` (spec 2.1). */
export function userCommands(withServices: WithServices): Command {
  const users = new Command('users').description("export apps' users");

  users
    .command('export')
    .description("write all of an app's users to standard output, newest first")
    .argument('<id>', 'the app')
    .addOption(new Option('--format <format>', 'how').choices(exportFormats).default('csv'))
    .action((id: string, { format }: { format: ExportFormat }) =>
      withServices(async ({ apps, schemas, users: service }) => {
        const app = await apps.get(id);
        const { fields } = await schemas.get(id);
        const keys = fields.map(({ key }) => key);
        try {
          await pipeline(exportUsers(service.each(app), format, keys), process.stdout, { end: false });
        } catch (error) {
          // The reader closed the pipe (`export ... | head`): not an error.
          if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        }
      }),
    );

  return users;
}
