import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ScopedApp } from '../../core/api/principal.ts';
import { type ExportFormat, exportFormats } from '../../features/exports/exports.service.ts';
import { fileNameSetting } from '../../features/imports/date-format.ts';
import { type ImportDocument, processedBytes } from '../../features/imports/imports.model.ts';
import { CommandFailed } from '../../platform/core/errors.ts';
import { createPrivateFile } from '../../platform/core/private-file.ts';
import type { Services } from '../../services.ts';
import { COMMAND_LINE, note, refuseFile, type Streams, say, type Tool } from './command.ts';

/** The commands `users export|import` (spec 2.1 and 4.7). */
export function userCommands(tool: Tool): Command {
  const { withServices, streams } = tool;
  const users = new Command('users').description("export and import apps' users");

  users
    .command('export')
    .description("write all of an app's users to standard output, newest first")
    .argument('<id>', 'the app')
    .addOption(new Option('--format <format>', 'how').choices(exportFormats).default('csv'))
    .action((id: string, { format }: { format: ExportFormat }) =>
      withServices(async ({ apps, exports, audit }) => {
        const app = await apps.get(id);
        const content = await exports.matching(app, { format });
        await audit.record({ action: 'users.exported', actor: COMMAND_LINE, app, detail: { format } });
        try {
          await pipeline(content, streams.stdout, { end: false });
        } catch (error) {
          // The reader closed the pipe (`export ... | head`): not an error.
          if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        }
      }),
    );

  users.addCommand(importCommand(tool));
  return users;
}

const WIDTH = 30;

/** Shows the progress of a file in one line of a terminal. Other outputs get no bar. */
export function createProgressBar(output: { isTTY?: boolean; write(text: string): unknown }) {
  const startedAt = performance.now();
  let isShown = false;
  return {
    /** @param part from 0 to 1 */
    show(part: number, lines: number): void {
      if (!output.isTTY) return;
      isShown = true;
      const done = Math.round(Math.min(1, part) * WIDTH);
      const rate = Math.round(lines / Math.max(0.001, (performance.now() - startedAt) / 1_000));
      const bar = '#'.repeat(done).padEnd(WIDTH, '.');
      output.write(`\r[${bar}] ${Math.floor(part * 100)} %, ${lines} lines, ${rate} a second \u001b[K`);
    },

    end(): void {
      if (isShown) output.write('\n');
    },
  };
}

const POLL_MS = 200;
/** `IMPORT_JOB` of the feature, which is loaded on use. */
const JOB = 'imports';

interface Options {
  format?: string;
  rejects?: string;
  /** `checkSettings` validates them. */
  [setting: string]: unknown;
}

/** The command `users import` (spec 4.7). */
function importCommand({ withServices, streams }: Tool): Command {
  return new Command('import')
    .description('create and change users from the lines of a file; continues after an interruption')
    .argument('<id>', 'the app')
    .argument('<file>', 'CSV with a header, NDJSON, or the ZIP archive of an export')
    .addOption(
      new Option('--format <format>', 'of the file; by default that of its name').choices(['csv', 'ndjson', 'zip']),
    )
    .addOption(new Option('--mode <mode>', 'which users it may write').choices(['upsert', 'insert', 'update']))
    .addOption(new Option('--arrays <what>', 'what it does with lists').choices(['append', 'replace']))
    .addOption(new Option('--invalid <what>', 'what a rejected line does').choices(['skip', 'abort']))
    .addOption(
      new Option('--invalid-values <what>', 'what an invalid value of an optional field does').choices([
        'reject',
        'omit',
      ]),
    )
    .option('--map <column=path>', 'the path of a column, or of one by its place (#3); repeat for each', addColumn)
    .option('--columns <json>', 'settings of columns, such as {"Born":{"dateFormat":"DD.MM.YY"}}', parseColumns)
    .option('--delimiter <character>', 'of CSV: , ; | or a tab')
    .option('--decimal <character>', 'of numbers: . or ,')
    .option('--date-format <format>', 'of dates, such as DD/MM/YYYY or M/D/YY h:mm A; by default ISO 8601')
    .option('--time-zone <name>', 'of times without a zone, such as Europe/Berlin')
    .option('--dry-run', 'check all lines and write nothing')
    .option('--rejects <file>', 'write the rejected lines with their reasons to this file')
    .action((id: string, file: string, options: Options) =>
      withServices((services) => runImport(streams, services, id, file, options)),
    );
}

const formatOf = (file: string): string =>
  /\.(nd)?jsonl?$/i.test(file) ? 'ndjson' : /\.zip$/i.test(file) ? 'zip' : 'csv';

/** Splits at the last `=`, because a path contains none. */
function addColumn(value: string, map: Record<string, string> = {}): Record<string, string> {
  const at = value.lastIndexOf('=');
  if (at < 0) throw new InvalidArgumentError('It must be like column=path.');
  return { ...map, [value.slice(0, at)]: value.slice(at + 1) };
}

function parseColumns(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

async function runImport(
  streams: Streams,
  services: Services,
  sourceAppId: string,
  file: string,
  options: Options,
): Promise<void> {
  const { imports, jobs, files, hasSecret } = services;
  if (!hasSecret) throw new CommandFailed('Set SESSION_SECRET to that of the server: erased persons are known by it');
  const { rejects, format = formatOf(file), ...rest } = options;
  const settings = await checkSettings({ format, ...rest, ...fileNameSetting(basename(file)) });
  const app = await services.apps.get(sourceAppId);
  const { size } = await stat(file).catch(refuseFile('read', file));
  const id = await imports.create(app, settings);
  const bar = createProgressBar(streams.stderr);
  try {
    await imports.receive(app, id, undefined, createReadStream(file), { size });
    await imports.start(app, id);
    await services.audit.record({ action: 'import.started', actor: COMMAND_LINE, app, target: id });
  } catch (error) {
    await imports.remove(app, id);
    throw error;
  }
  await files.content.load();
  // A server may run the job too: whoever holds its lock does the work.
  jobs.start(JOB);
  jobs.wake(JOB);
  for (;;) {
    const found = await imports.get(app, id);
    bar.show(found.received === 0 ? 1 : processedBytes(found) / found.received, found.counters.read);
    if (found.state !== 'running') {
      bar.end();
      return report(streams, services, app, found, rejects);
    }
    await sleep(POLL_MS);
  }
}

/** Validates as `POST /auth/imports` does. The modules are imported on use. */
async function checkSettings(settings: Record<string, unknown>): Promise<Parameters<Services['imports']['create']>[1]> {
  const [{ parsePart }, { importEndpoints }] = await Promise.all([
    import('../../platform/http/validation.ts'),
    import('../../features/imports/imports.routes.ts'),
  ]);
  return parsePart(importEndpoints.createImport.body.schema, settings, 'invalidImport');
}

async function report(
  streams: Streams,
  { imports }: Services,
  app: ScopedApp,
  { _id, state, settings: { dryRun }, counters, firstErrors, failure }: ImportDocument,
  rejects: string | undefined,
): Promise<void> {
  const counts = Object.entries(counters).map(([name, count]) => `${name} ${count}`);
  const what = dryRun ? ['Dry run', ', nothing was stored'] : ['Import', ''];
  say(streams, `${what[0]} ${_id.toHexString()} ${state}${what[1]}: ${counts.join(', ')}`);
  for (const { line, message } of firstErrors) note(streams, `line ${line}: ${message}`);
  const others = counters.rejected - firstErrors.length;
  if (others > 0) note(streams, `and ${others} more lines`);
  if (rejects !== undefined) {
    await writeRejects(rejects, await imports.rejectsOf(app, _id.toHexString()));
  }
  if (state !== 'completed') throw new CommandFailed(failure ?? 'The import ended at a line that was rejected');
}

/** The lines are personal data: the file is its owner's, and appears when it is complete. */
async function writeRejects(path: string, lines: Readable): Promise<void> {
  // A terminal, a pipe or a link is as its owner made it.
  const present = await lstat(path).catch(() => undefined);
  if (present && !present.isFile()) return pipeline(lines, createWriteStream(path));
  const file = await createPrivateFile(path);
  try {
    for await (const part of lines) await file.append(part);
    await file.end();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
