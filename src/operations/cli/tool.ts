import { Command, CommanderError } from 'commander';
import type { Timings } from '../../services.ts';
import { accountCommands } from './account-commands.ts';
import { appCommands } from './app-commands.ts';
import { doctorCommand, verifyCommand } from './check-commands.ts';
import { report, type Streams, type Tool } from './command.ts';
import { migrateCommand, shardCommand } from './database-commands.ts';
import { schemaCommands, typesCommand } from './schema-commands.ts';
import { serveCommand } from './serve-command.ts';
import { userCommands } from './user-commands.ts';

const FAILED = 1;
const USAGE = 2;
const HELP = ['-h', '--help'];

/**
 * Runs the command-line tool with these arguments; resolves with its exit code.
 * @param timings what tests shorten
 */
export async function runTool(
  args: readonly string[],
  streams: Streams,
  env: NodeJS.ProcessEnv,
  timings?: Timings,
): Promise<number> {
  let exitCode = 0;
  const tool: Tool = {
    streams,
    env,
    endWith: (code) => {
      exitCode = code;
    },
    // Loaded on use, so that help and usage errors are fast.
    withServices: async (task, how) =>
      (await import('./services.ts')).withServices({ env, streams, timings }, task, how),
  };
  const program = new Command('user-collection-service')
    .description(
      'Runs a User Collection Service, and manages its apps, schemas, users and accounts straight on its database.',
    )
    .addHelpText(
      'after',
      '\nThe database is the one the server uses: MONGODB_URI, or the embedded one in DATA_DIR.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage. Of doctor and verify: 0 good, 1 warnings, 2 faults.',
    )
    .configureHelp({ showGlobalOptions: true });
  const host = [serveCommand, doctorCommand, migrateCommand, verifyCommand, shardCommand];
  const groups = [appCommands, schemaCommands, typesCommand, userCommands, accountCommands, ...host];
  for (const createGroup of groups) program.addCommand(createGroup(tool));
  for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
    });
  }

  // Without a listener a failed write ends the process with a stack.
  const output: { error?: NodeJS.ErrnoException } = {};
  streams.stdout.on('error', (error) => {
    output.error ??= error;
  });

  try {
    await program.parseAsync(withCommand(args), { from: 'user' });
    // A write fails after the call that began it; this one ends after all before it.
    await new Promise((resolve) => streams.stdout.write('', resolve));
    // The reader closed the pipe (`... | head`) or the terminal: not an error.
    const closed = streams.stdout.isTTY ? 'EIO' : 'EPIPE';
    if (output.error && output.error.code !== closed) throw output.error;
    return exitCode;
  } catch (error) {
    // Commander has written its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    report(streams, error);
    return FAILED;
  }
}

/**
 * Without a command the arguments are options of `serve`. Commander's own default command would get
 * a misspelt one as an argument.
 */
function withCommand(args: readonly string[]): readonly string[] {
  const [first = '--'] = args;
  return first.startsWith('-') && !HELP.includes(first) ? ['serve', ...args] : args;
}
