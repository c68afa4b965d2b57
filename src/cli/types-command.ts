import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { InvalidInput } from '../core/errors.ts';
import { refuseFile, type Tool } from './command.ts';

/** The command `types` (spec 2.3). */
export function typesCommand({ withServices, streams }: Tool): Command {
  return new Command('types')
    .description("write TypeScript types and a typed submit() for an app's newest schema")
    .argument('<id>', 'the app')
    .option('--out <file>', 'a file instead of standard output')
    .option('--check', 'write nothing; fail when the file is not what would be written')
    .action((id: string, { out, check = false }: { out?: string; check?: boolean }) => {
      if (check && out === undefined) throw new InvalidInput('--check needs the file: --out <file>');
      return withServices(async ({ schemas }) => {
        const { generateTypes } = await import('./generated-types.ts');
        const schema = await schemas.get(id);
        const source = generateTypes(id, schema);
        if (out === undefined) return void streams.stdout.write(source);
        // Git may have changed the line ends.
        const found = (await readIfThere(out))?.replaceAll('\r\n', '\n');
        // An unchanged file keeps its time, so that no build begins.
        if (found === source) return;
        if (check) throw new InvalidInput(`${out} is not what version ${schema.version} of the schema gives`);
        await writeFile(out, source).catch(refuseFile('write', out));
      });
    });
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : refuseFile('read', file)(error),
  );
