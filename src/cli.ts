#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { appCommands } from './cli/app-commands.ts';
import { schemaCommands } from './cli/schema-commands.ts';
import { userCommands } from './cli/user-commands.ts';
import { ConfigError, loadConfig } from './config.ts';
import { openDatabase } from './database/open.ts';
import { AppError } from './errors.ts';
import { createLogger } from './logger.ts';
import { createServices, type Services } from './services.ts';

const FAILED = 1;
const USAGE = 2;

/** Opens the database, runs one task with the services, and closes it again. Works beside a running server too. */
async function withServices(task: (services: Services) => Promise<void>): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger({ logLevel: 'silent' });
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const database = await openDatabase(config, { logger, progress, shared: true });
  const services = createServices(config, database.connection, logger);
  try {
    await services.prepare();
    await task(services);
  } finally {
    await services.stop();
    await database.close();
  }
}

const program = new Command('user-collection')
  .description('Manages the apps, schemas and users of a User Collection Service, straight on its database.')
  .addHelpText(
    'after',
    '\nThe database is the one the server uses: MONGODB_URI, or the embedded one in DATA_DIR.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage.',
  )
  .exitOverride()
  .configureHelp({ showGlobalOptions: true });

for (const command of [appCommands(withServices), schemaCommands(withServices), userCommands(withServices)]) {
  program.addCommand(command);
}
for (const group of program.commands) for (const command of group.exitOverride().commands) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Tells what went wrong in readable lines, and returns the exit code. */
function report(error: unknown): number {
  // Commander has written its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const lines = error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)];
  const places =
    error instanceof AppError ? (error.issues ?? []).map(({ path, message }) => `  ${path} ${message}`) : [];
  for (const line of [...lines.map((text) => `error: ${text}`), ...places]) process.stderr.write(`${line}\n`);
  return FAILED;
}
