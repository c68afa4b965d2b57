import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { SETTINGS } from '../../platform/core/config.ts';
import type { Tool } from './command.ts';

/** Those of `npm start`: V8 reads them before it runs the first line of a program (decision 40). */
export const SERVER_FLAGS = ['--max-semi-space-size=32', '--no-allocation-site-pretenuring'];
const SERVER = fileURLToPath(new URL('../../server.js', import.meta.url));
const PARENT_INTERVAL_MS = 100;
const FORWARDED: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * The command `serve`: the service, with each setting as an option. Ends with the exit code of the
 * server.
 */
export function serveCommand({ env, endWith }: Pick<Tool, 'env' | 'endWith'>): Command {
  const settings = SETTINGS.map(({ name, help, standard, isSecret }) => {
    const notes = [...(isSecret ? ['secret'] : []), ...(standard === undefined ? [] : [`default: ${standard}`])];
    const text = notes.length === 0 ? help : `${help} (${notes.join(', ')})`;
    return { name, option: new Option(`--${name.toLowerCase().replaceAll('_', '-')} <value>`, text) };
  });
  const serve = new Command('serve')
    .description(
      'run the service, also without a command; an option is the environment variable of its name, and wins over it',
    )
    .addHelpText(
      'after',
      '\nOther users of this machine can read a command line: set what is marked as a secret in the environment.',
    );
  for (const { option } of settings) serve.addOption(option);
  return serve.action(async (given: Record<string, string>) => {
    const values = settings.map(({ name, option }) => [name, given[option.attributeName()]]);
    endWith(await runServer({ ...env, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) }));
  });
}

/**
 * Runs the server in a process with `SERVER_FLAGS` and this environment, which also its own
 * processes inherit. Forwards signals. The server stops when the channel to this process closes,
 * so also when this process is killed. Resolves with its exit code.
 *
 * npx and `npm start` run a command in a shell, which may end on a signal without forwarding it.
 * This process then has another parent, and stops the server.
 */
async function runServer(env: NodeJS.ProcessEnv): Promise<number> {
  // Replaces the command line that other users see.
  process.title = 'user-collection-service';
  const child = spawn(process.execPath, [...SERVER_FLAGS, SERVER], {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  const parent = process.ppid;
  const checkParent = (): void => void (process.ppid !== parent && child.kill('SIGTERM'));
  const isOfNpm = env.npm_command === 'exec' || env.npm_command === 'start';
  const watch = isOfNpm ? setInterval(checkParent, PARENT_INTERVAL_MS) : undefined;
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  } finally {
    clearInterval(watch);
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
