import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { runTool as run } from '../../../src/operations/cli/tool.ts';
import type { Ended } from './process.ts';
import { PASSWORD_COST } from './server.ts';

/**
 * Runs the command-line tool in the process of the test, which takes a tenth of the time of a
 * process. `runCli` (process.ts) runs the program itself.
 */
export async function runTool(args: readonly string[], env: Record<string, string>, input = ''): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const written = Promise.all([readAll(stdout), readAll(stderr)]);
  const code = await run(args, { stdin, stdout, stderr }, env, { passwordCost: PASSWORD_COST });
  stdout.end();
  stderr.end();
  const [out, error] = await written;
  return { code, stdout: out, stderr: error };
}
