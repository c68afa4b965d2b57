import { Command } from 'commander';
import type { Tool } from './command.ts';

/** The command `doctor`: exit code 0 good, 1 warnings, 2 faults. */
export function doctorCommand({ streams, env, endWith }: Tool): Command {
  return new Command('doctor')
    .description('check the database, the servers and the settings; exit code 0 good, 1 warnings, 2 faults')
    .option('--json', 'print one JSON document instead of lines')
    .action(async ({ json = false }: { json?: boolean }) => {
      // Loaded on use, so that help and usage errors are fast.
      const [{ diagnose }, { formatResults, worstLevel }] = await Promise.all([
        import('../doctor/doctor.ts'),
        import('../doctor/findings.ts'),
      ]);
      const results = await diagnose(env, (line) => void streams.stderr.write(`${line}\n`));
      streams.stdout.write(formatResults(results, json));
      endWith(worstLevel(results).exitCode);
    });
}
