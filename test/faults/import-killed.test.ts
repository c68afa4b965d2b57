// @module-tag fault

import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import { rounds } from '../support/run/rounds.ts';
import { exportOf, type SentFile, zipOf } from '../support/samples/archives.ts';
import type { Client } from '../support/server/client.ts';
import { type FileValue, sha256 } from '../support/server/files.ts';
import { linesIn, prepareImport, rejectsOf, untilImport } from '../support/server/imports.ts';
import { CV, pdfOf } from '../support/server/uploads.ts';
import { DataDir } from './data-dir.ts';
import { send, untilServed } from './load.ts';
import { inspect } from './mongod.ts';
import { logProgress, Service } from './service.ts';

const KILLS = rounds(8, 2);
const LINES = 30_000;
const PERSONS = 10_000;
/** Of each hundred lines one is rejected. */
const INVALID_EVERY = 100;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Line N appends the number N to the items of its person, unless its second column is invalid. */
function fileOf(): string {
  const rows = Array.from({ length: LINES }, (_, index) => {
    const line = index + 2;
    return `p${index % PERSONS}@example.com,${line},${line % INVALID_EVERY === 0 ? 'x' : line}\n`;
  });
  return `email,data.items,data.n\n${rows.join('')}`;
}

/** Kills and starts the server while an import runs; resolves with the lines it had processed. */
async function killWhileRunning(service: Service, admin: Client, id: string, lines: number): Promise<number> {
  let read = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = read;
    const progress = await untilImport(admin, 'forms', id, (one) => one.state !== 'running' || one.read > before);
    if (progress.state !== 'running') break;
    await sleep(Math.random() * 100);
    await service.kill();
    await service.start();
    await untilServed(() => send(`${service.url}/ready`));
    read = (await untilImport(admin, 'forms', id, () => true)).read;
    logProgress(`kill ${kill} of ${KILLS}, ${read} of ${lines} lines processed`);
  }
  return read;
}

it(`applies each line once through ${KILLS} kills of the server (spec 4.7)`, async () => {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  const service = await (await Service.create({ DATA_DIR: dataDir.path })).start();
  cleanups.push(() => service.stop());
  await service.createApp('forms');
  // Its session outlives the server.
  const admin = await service.admin();
  const fields = [
    { key: 'items', kind: 'array' as const },
    { key: 'n', kind: 'number' as const },
  ];
  await admin.putSchema('forms', { fields }).expect(200);
  const id = await prepareImport(admin, 'forms', fileOf());
  await admin.post(`/auth/imports/${id}/start?sourceAppId=forms`).expect(200);
  const read = await killWhileRunning(service, admin, id, LINES);
  expect(read).toBeGreaterThan(0);
  const result = await untilImport(admin, 'forms', id);
  const rejects = linesIn(await rejectsOf(admin, 'forms', id));
  const items = await inspect(await dataDir.uri(), async (db) => {
    const records = await db.collection('users').find({ sourceAppId: 'forms' }).toArray();
    return records.flatMap(({ data }) => (data.items ?? []).map(({ value }: { value: string }) => Number(value)));
  });
  const isRejected = (line: number): boolean => line % INVALID_EVERY === 0;
  const lines = Array.from({ length: LINES }, (_, index) => index + 2);
  expect(rejects).toEqual(lines.filter(isRejected));
  expect(items.sort((one, other) => one - other)).toEqual(lines.filter((line) => !isRejected(line)));
  const created = new Set(lines.filter((line) => !isRejected(line)).map((line) => (line - 2) % PERSONS)).size;
  expect(result).toMatchObject({
    state: 'completed',
    read: LINES,
    created,
    rejected: rejects.length,
    unchanged: 0,
    updated: LINES - created - rejects.length,
  });
}, 300_000);

/** Lines with a file; each batch has 1 MB of files. */
const FILES = 500;
const FILE_BYTES = 40_000;

it(`stores each file of an archive once through ${KILLS} kills of the server (spec 4.7.1)`, async () => {
  const dataDir = await DataDir.create();
  cleanups.push(() => dataDir.remove());
  const service = await (await Service.create({ DATA_DIR: dataDir.path })).start();
  cleanups.push(() => service.stop());
  await service.createApp('forms');
  const admin = await service.admin();
  await admin.putSchema('forms', { fields: [CV] }).expect(200);
  const contents = new Map<string, string>();
  const people = Array.from({ length: FILES }, (_, index): [string, SentFile[]] => {
    const email = `p${index}@example.com`;
    const content = pdfOf(FILE_BYTES + index, index % 251);
    contents.set(email, sha256(content));
    return [email, [{ id: new UUID().toString(), name: `${index}.pdf`, content }]];
  });
  const id = await prepareImport(admin, 'forms', await zipOf(exportOf(Object.fromEntries(people))), { format: 'zip' });
  await admin.post(`/auth/imports/${id}/start?sourceAppId=forms`).expect(200);
  expect(await killWhileRunning(service, admin, id, FILES)).toBeGreaterThan(0);
  expect(await untilImport(admin, 'forms', id)).toMatchObject({ state: 'completed', read: FILES, created: FILES });
  await inspect(await dataDir.uri(), async (db) => {
    const records = await db.collection('users').find({ sourceAppId: 'forms' }).toArray();
    const hashes = records.map(({ email, data }) => [email, data.cv.map((file: FileValue) => file.sha256)]);
    expect(new Map(hashes as [string, string[]][])).toEqual(
      new Map([...contents].map(([email, hash]) => [email, [hash]])),
    );
    // What a killed server had stored for a line goes when its time is over.
    const files = db.collection('files.files');
    const named = records.flatMap(({ data }) => data.cv.map((file: FileValue) => file.id)).sort();
    logProgress(`${await files.countDocuments()} files for ${FILES} lines`);
    const past = new Date(0);
    await files.updateMany({}, { $set: { 'metadata.expiresAt': past, 'metadata.checkAt': past } });
    await files.updateMany({ 'metadata.claim': { $exists: true } }, { $set: { 'metadata.claim.until': past } });
    const whole = async () =>
      (await files.find({ 'metadata.state': 'whole' }, { projection: { _id: 1 } }).toArray())
        .map(({ _id }) => String(_id))
        .sort();
    await expect.poll(whole, { timeout: 60_000, interval: 500 }).toEqual(named);
    const chunks = await db.collection('files.chunks').distinct('files_id');
    expect(chunks.map(String).sort()).toEqual(named);
  });
}, 300_000);
