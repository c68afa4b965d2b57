#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { accountCommands } from './cli/account-commands.ts';
import { appCommands } from './cli/app-commands.ts';
import type { WithServices } from './cli/command.ts';
import { schemaCommands } from './cli/schema-commands.ts';
import { userCommands } from './cli/user-commands.ts';

const FAILED = 1;
const USAGE = 2;

/** Loads the services on use, so that help and usage errors are fast. */
const withServices: WithServices = async (task) => (await import('./cli/services.ts')).withServices(process.env, task);

const program = new Command('user-collection')
  .description('Manages the apps, schemas and users of a User Collection Service, straight on its database.')
  .addHelpText(
    'after',
    '\nThe database is the one the server uses: MONGODB_URI, or the embedded one in DATA_DIR.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage.',
  )
  .exitOverride()
  .configureHelp({ showGlobalOptions: true });

const groups = [appCommands, schemaCommands, userCommands, accountCommands];
for (const createGroup of groups) program.addCommand(createGroup(withServices));
for (const group of program.commands) for (const command of group.exitOverride().commands) command.exitOverride();

// Without a listener a failed write ends the process with a stack.
const output: { error?: NodeJS.ErrnoException } = {};
process.stdout.on('error', (error) => {
  output.error ??= error;
});

try {
  await program.parseAsync();
  // A write fails after the call that began it; this one ends after all before it.
  await new Promise((resolve) => process.stdout.write('', resolve));
  // The reader closed the pipe (`... | head`): not an error.
  if (output.error && output.error.code !== 'EPIPE') throw output.error;
} catch (error) {
  // Commander has written its message or the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
  else {
    process.exitCode = FAILED;
    (await import('./cli/command.ts')).report(error);
  }
}
