import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { linesIn, prepareImport, rejectsOf, untilImport } from '../support/imports.ts';
import { rounds } from '../support/rounds.ts';
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
    logProgress(`kill ${kill} of ${KILLS}, ${read} of ${LINES} lines processed`);
  }
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
