import { Command } from 'commander';
import { loadConfig } from '../../platform/core/config.ts';
import type { Diagnosis } from '../doctor/context.ts';
import type { Result } from '../doctor/findings.ts';
import { note, say, type Tool } from './command.ts';

// The modules of the checks are loaded on use, so that help and usage errors are fast.

/** The command `doctor`: exit code 0 good, 1 warnings, 2 faults. */
export function doctorCommand(tool: Tool): Command {
  return new Command('doctor')
    .description('check the database, the servers and the settings; exit code 0 good, 1 warnings, 2 faults')
    .option('--json', 'print one JSON document instead of lines')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { diagnose } = await import('../doctor/doctor.ts');
      await printResults(tool, await diagnose(tool.env, (line) => note(tool.streams, line)), json);
    });
}

/** The command `verify`: writes the manifest of a backup, or compares a copy with it. */
export function verifyCommand(tool: Tool): Command {
  const command = new Command('verify')
    .description('compare a restored copy with the manifest of its backup; exit code 0 same, 1 warnings, 2 faults')
    .argument('[manifest]', 'the file to compare the database with')
    .option(
      '--write <file>',
      'write the manifest of this database instead, - to standard output; start the dump afterwards',
    )
    .option('--json', 'print one JSON document instead of lines');
  return command.action(
    async (manifest: string | undefined, { write, json = false }: { write?: string; json?: boolean }) => {
      if (write !== undefined && manifest === undefined) {
        const { writeManifest } = await import('../backups/write-manifest.ts');
        const isOutput = write === '-';
        const target = isOutput ? tool.streams.stdout : write;
        const { apps, records } = await withDiagnosis(tool, (opened) => writeManifest(opened, target));
        const print = isOutput ? note : say;
        return print(tool.streams, `Wrote ${write}: ${records} records of ${apps} apps. Start the dump now.`);
      }
      if (write !== undefined || manifest === undefined) {
        return command.error('error: name a manifest to compare with, or a file with --write');
      }
      const { compareWithManifest } = await import('../backups/compare.ts');
      const { openingFaults } = await import('../doctor/findings.ts');
      // As for doctor, the exit code of a comparison that cannot be made is that of a fault.
      const results = await withDiagnosis(tool, (opened) => compareWithManifest(opened, manifest)).catch(openingFaults);
      await printResults(tool, results, json);
    },
  );
}

async function withDiagnosis<Made>({ env, streams }: Tool, task: (opened: Diagnosis) => Promise<Made>): Promise<Made> {
  const { openDiagnosis } = await import('../doctor/doctor.ts');
  const opened = await openDiagnosis(loadConfig(env), (line) => note(streams, line));
  try {
    return await task(opened);
  } finally {
    await opened.close();
  }
}

async function printResults({ streams, endWith }: Tool, results: readonly Result[], isJson: boolean): Promise<void> {
  const { formatResults, worstLevel } = await import('../doctor/findings.ts');
  streams.stdout.write(formatResults(results, isJson));
  endWith(worstLevel(results).exitCode);
}
