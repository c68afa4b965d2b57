import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { Command } from 'commander';
import { InvalidInput } from '../errors.ts';
import { parsePart } from '../http/validation.ts';
import { schemaEndpoints } from '../schemas/schemas.contract.ts';
import { say, type WithServices } from './command.ts';

/** `schema get|put` (SPEC 2.3). */
export function schemaCommands(withServices: WithServices): Command {
  const schema = new Command('schema').description("read and replace apps' schemas");

  schema
    .command('get')
    .description("print an app's schema as JSON")
    .argument('<id>', 'the app')
    .option('--version <number>', 'an earlier version instead of the newest', wholeNumber)
    .action((id: string, { version }: { version?: number }) =>
      withServices(async ({ schemas }) => say(JSON.stringify(await schemas.get(id, version), null, 2))),
    );

  schema
    .command('put')
    .description("replace an app's schema by { rejectUnknown, fields }; prints the new version")
    .argument('<id>', 'the app')
    .argument('[file]', 'a JSON file; without it standard input')
    .action(async (id: string, file?: string) => {
      const json = file === undefined ? await readAll(process.stdin) : await readFile(file, 'utf8');
      const replacement = parsePart(schemaEndpoints.replaceSchema.body, parseJson(json), 'Invalid schema');
      await withServices(async ({ schemas }) => say(JSON.stringify(await schemas.replace(id, replacement), null, 2)));
    });

  return schema;
}

/** What `schema get` prints can be edited and put back, so the version in it is not held against it. */
function parseJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { version: _, ...schema } = value as Record<string, unknown>;
    return schema;
  } catch {
    throw new InvalidInput('The schema is not valid JSON');
  }
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidInput('--version must be a whole number from 1');
  return Number(value);
}
