import { readFile, writeFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { Command, InvalidArgumentError } from 'commander';
import { changeOf } from '../../core/schemas/schemas.routes.ts';
import type { SchemaService } from '../../core/schemas/schemas.service.ts';
import type { Rename } from '../../features/renames/renames.ts';
import { CommandFailed } from '../../platform/core/errors.ts';
import { READ_HOLDS_MS } from '../../platform/database/lateness.ts';
import { COMMAND_LINE, refuseFile, say, type Tool } from './command.ts';

/** The commands `schema get|put` (spec 2.3). */
export function schemaCommands({ withServices, streams }: Tool): Command {
  const schema = new Command('schema').description("read and replace apps' schemas");

  schema
    .command('get')
    .description("print an app's schema as JSON")
    .argument('<id>', 'the app')
    .option('--version <number>', 'an earlier version instead of the newest', wholeNumber)
    .action((id: string, { version }: { version?: number }) =>
      withServices(async ({ schemas }) => say(streams, JSON.stringify(await schemas.get(id, version), null, 2))),
    );

  schema
    .command('put')
    .description("replace an app's schema by { rejectUnknown, fields }; prints the new version")
    .argument('<id>', 'the app')
    .argument('[file]', 'a JSON file; without it standard input')
    .option('--rename <from:to>', 'a field whose stored values move to another key; repeatable', addRename)
    .action(async (id: string, file: string | undefined, { rename }: { rename?: Rename[] }) => {
      const read = file === undefined ? readAll(streams.stdin) : readFile(file, 'utf8').catch(refuseFile('read', file));
      const json = parseJson(await read);
      const replacement = await checkSchema(rename ? withRenames(json, rename) : json);
      await withServices(async ({ apps, schemas, audit, clock }) => {
        const until = clock.within(READ_HOLDS_MS);
        const { schema, replaced } = await schemas.replace(id, replacement, { by: { author: 'command line' }, until });
        const app = { id: (await apps.find(id))?.id, sourceAppId: id };
        const detail = { version: schema.version };
        const changed = changeOf(replaced, schema);
        await audit.record({ action: 'schema.replaced', actor: COMMAND_LINE, app, target: id, detail, changed });
        say(streams, JSON.stringify(schema, null, 2));
      });
    });

  return schema;
}

/** The command `types` (spec 2.3). */
export function typesCommand({ withServices, streams }: Tool): Command {
  return new Command('types')
    .description("write TypeScript types and a typed submit() for an app's newest schema")
    .argument('<id>', 'the app')
    .option('--out <file>', 'a file instead of standard output')
    .option('--check', 'write nothing; fail when the file is not what would be written')
    .action((id: string, { out, check = false }: { out?: string; check?: boolean }) => {
      if (check && out === undefined) throw new CommandFailed('--check needs the file: --out <file>');
      return withServices(async ({ schemas }) => {
        const { generateTypes } = await import('./generated-types.ts');
        const schema = await schemas.get(id);
        const source = generateTypes(id, schema);
        if (out === undefined) return void streams.stdout.write(source);
        // Git may have changed the line ends.
        const found = (await readIfThere(out))?.replaceAll('\r\n', '\n');
        // An unchanged file keeps its time, so that no build begins.
        if (found === source) return;
        if (check) throw new CommandFailed(`${out} is not what version ${schema.version} of the schema gives`);
        await writeFile(out, source).catch(refuseFile('write', out));
      });
    });
}

/** Validates a schema as PUT does. The modules are imported on use. */
async function checkSchema(json: unknown): Promise<Parameters<SchemaService['replace']>[1]> {
  const [{ parsePart }, { renameEndpoints }] = await Promise.all([
    import('../../platform/http/validation.ts'),
    import('../../features/renames/renames.routes.ts'),
  ]);
  return parsePart(renameEndpoints.replaceSchema.body.schema, json, 'invalidSchema');
}

/** Parses a schema. Accepts the output of `schema get`, so `version` is ignored. */
function parseJson(json: string): unknown {
  try {
    // Some editors begin a file with a byte order mark.
    const value: unknown = JSON.parse(json.replace(/^\uFEFF/, ''));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { version: _, ...schema } = value as Record<string, unknown>;
    return schema;
  } catch (error) {
    throw new CommandFailed(`The schema is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function addRename(value: string, earlier: Rename[] = []): Rename[] {
  const [, from, to] = /^([^:]+):([^:]+)$/.exec(value) ?? [];
  if (from === undefined || to === undefined) throw new InvalidArgumentError('It must be <old key>:<new key>.');
  return [...earlier, { from, to }];
}

/** Adds renames to those that the schema names itself. */
function withRenames(json: unknown, renames: readonly Rename[]): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const { renames: own } = json as { renames?: unknown };
  return { ...json, renames: [...(Array.isArray(own) ? own : []), ...renames] };
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(value);
}

const readIfThere = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : refuseFile('read', file)(error),
  );
