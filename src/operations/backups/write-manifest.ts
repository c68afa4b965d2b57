import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPrivateFile } from '../../platform/core/private-file.ts';
import { WRITE_ENDS_MS } from '../../platform/database/lateness.ts';
import { createServerModel, runningServers, VERSION } from '../../platform/servers/servers.ts';
import { type Diagnosis, greet } from '../doctor/context.ts';
import type { ManifestLine } from './manifest.ts';
import { createMeasurement } from './measure.ts';

/**
 * Writes the manifest of a database to a regular file, which appears when it is complete, or to a
 * stream. Start the dump after it.
 *
 * @param writesEndMs how long to wait for writes in flight, while servers run; shorter in tests
 * @returns the number of records and apps
 */
export async function writeManifest(
  opened: Diagnosis,
  target: string | NodeJS.WritableStream,
  writesEndMs = WRITE_ENDS_MS,
): Promise<{ apps: number; records: number }> {
  const { connection, database, services } = opened;
  const { now } = await greet(opened);
  const running = await runningServers(createServerModel(connection).collection);
  // The ids of records have the time of the server: one that is behind creates earlier ids.
  const behindMs = Math.min(0, ...running.map(({ clockAheadMs }) => clockAheadMs));
  const until = new Date(now.getTime() + behindMs);
  if (running.length > 0) await sleep(writesEndMs);

  const measurement = createMeasurement(opened);
  const totals = { apps: 0, records: 0 };
  const file = typeof target === 'string' ? await createManifestFile(target) : linesTo(writerTo(target));
  try {
    const times = { at: now.toISOString(), until: until.toISOString() };
    await file.add({ kind: 'manifest', format: 1, version: VERSION, database: database.databaseName, ...times });
    for (const { options } of services.collections) await file.add(await measurement.collection(options.collection));
    for await (const app of measurement.apps()) {
      if (app.createdAt >= until) continue;
      const line = await measurement.app(app, until);
      totals.apps += 1;
      totals.records += line.records;
      await file.add(line);
    }
    for await (const day of measurement.auditDays(until)) await file.add(day);
    await file.end();
  } catch (error) {
    await file.discard();
    throw error;
  }
  return totals;
}

async function createManifestFile(path: string) {
  const file = await createPrivateFile(path);
  const lines = linesTo(file.append);
  const end = async (): Promise<void> => {
    await lines.end();
    await file.end();
  };
  return { add: lines.add, end, discard: file.discard };
}

const writerTo = (output: NodeJS.WritableStream) => async (text: string) => {
  if (!output.write(text)) await once(output, 'drain');
};

/** Without the line that `end` writes, a manifest is not accepted. */
function linesTo(write: (text: string) => Promise<void>) {
  const hash = createHash('sha256');
  let lines = 0;

  async function add(line: ManifestLine): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines += 1;
    await write(text);
  }

  return {
    add,
    end: () => add({ kind: 'end', lines, digest: hash.copy().digest('base64url') }),
    discard: async () => {},
  };
}
