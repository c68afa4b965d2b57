import { Command } from 'commander';
import { loadConfig } from '../core/config.ts';
import { say, type Tool } from './command.ts';

/** The command `verify`: writes the manifest of a backup, or compares a copy with it. */
export function verifyCommand({ streams, env, endWith }: Tool): Command {
  const command = new Command('verify')
    .description('compare a restored copy with the manifest of its backup; exit code 0 same, 1 warnings, 2 faults')
    .argument('[manifest]', 'the file to compare the database with')
    .option('--write <file>', 'write the manifest of this database instead; start the dump afterwards')
    .option('--json', 'print one JSON document instead of lines');
  return command.action(
    async (manifest: string | undefined, { write, json = false }: { write?: string; json?: boolean }) => {
      if ((manifest === undefined) === (write === undefined)) {
        command.error('error: name a manifest to compare with, or a file with --write');
      }
      const progress = (line: string): void => void streams.stderr.write(`${line}\n`);
      if (write !== undefined) {
        const { apps, records } = await writeManifestTo(write, env, progress);
        return say(streams, `Wrote ${write}: ${records} records of ${apps} apps. Start the dump now.`);
      }
      const { formatResults, openingFaults, worstLevel } = await import('../doctor/findings.ts');
      // As for doctor, the exit code of a comparison that cannot be made is that of a fault.
      const results = await compareWith(manifest ?? '', env, progress).catch(openingFaults);
      streams.stdout.write(formatResults(results, json));
      endWith(worstLevel(results).exitCode);
    },
  );
}

// The modules are loaded on use, so that help and usage errors are fast.

async function writeManifestTo(path: string, env: NodeJS.ProcessEnv, progress: (line: string) => void) {
  const [{ openDiagnosis }, { writeManifest }] = await Promise.all([
    import('../doctor/doctor.ts'),
    import('../backups/write-manifest.ts'),
  ]);
  const opened = await openDiagnosis(loadConfig(env), progress);
  try {
    return await writeManifest(opened, path);
  } finally {
    await opened.close();
  }
}

async function compareWith(path: string, env: NodeJS.ProcessEnv, progress: (line: string) => void) {
  const [{ openDiagnosis }, { compareWithManifest }] = await Promise.all([
    import('../doctor/doctor.ts'),
    import('../backups/compare.ts'),
  ]);
  const opened = await openDiagnosis(loadConfig(env), progress);
  try {
    return await compareWithManifest(opened, path);
  } finally {
    await opened.close();
  }
}
