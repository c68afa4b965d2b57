// @module-tag fault

import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../src/platform/database/client.ts';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { Client } from '../support/server/client.ts';
import { linesIn, prepareImport, rejectsOf, untilImport } from '../support/server/imports.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/server/process.ts';
import { logProgress } from './service.ts';

const STOPS = rounds(8, 2);
const LINES = 60_000;
const PERSONS = 15_000;
/** A session may send so many erasures at once. */
const ERASED_OF_STOP = 7;
const POLL = { timeout: 30_000, interval: 50 };
const ENV = {
  ADMIN_PASSWORD: 'the-admin-password',
  SESSION_SECRET: 'the session secret of the test',
  HOST: '127.0.0.1',
};

const leftovers = new Leftovers();
const MONGODB_URI = databaseUri(randomName());
let connection: Connection;
beforeAll(async () => {
  connection = await connectDatabase(MONGODB_URI);
});
afterAll(async () => {
  await leftovers.clear();
  await connection.close();
});

const emailOf = (index: number): string => `p${index % PERSONS}@example.com`;

/** Line N appends the number N to the items of its person. */
function fileOf(): string {
  const rows = Array.from({ length: LINES }, (_, index) => `${emailOf(index)},${index + 2},${index}\n`);
  return `email,data.items,data.n\n${rows.join('')}`;
}

/** The processes of imports that run, of all servers. */
function processesOf(servers: readonly ServerProcess[]): number[] {
  const output = execFileSync('ps', ['-eo', 'pid=,ppid=,state=,args='], { encoding: 'utf8' });
  const parents = servers.map(({ pid }) => String(pid));
  const rows = output.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter(([, parent = '']) => parents.includes(parent)).map(([pid]) => Number(pid));
}

it(`applies each line once, and brings nobody back, through ${STOPS} stops of its process (spec 4.7)`, async () => {
  const servers = [0, 1].map(() =>
    leftovers.keep(new ServerProcess({ MONGODB_URI, ...ENV }, [process.execPath, 'dist/server.js'])),
  );
  const [url = ''] = await Promise.all(servers.map((server) => server.url()));
  const admin = await new Client(url.replace('localhost', '127.0.0.1')).logIn('admin', ENV.ADMIN_PASSWORD);
  const fields = [
    { key: 'items', kind: 'array' as const },
    { key: 'n', kind: 'number' as const },
  ];
  const { sourceAppId: app } = await admin.buildApp({ fields });
  const id = await prepareImport(admin, app, fileOf());
  await admin.post(`/auth/imports/${id}/start?sourceAppId=${app}`).expect(200);
  const imports = connection.collection('imports');
  const runsOf = async (): Promise<number> => (await imports.findOne({ sourceAppId: app }))?.runs ?? 0;
  const erased = new Set<string>();
  const stopped: number[] = [];
  for (let stop = 1; stop <= STOPS; stop += 1) {
    const { read } = await untilImport(admin, app, id, () => true);
    const progress = await untilImport(admin, app, id, (one) => one.state !== 'running' || one.read > read + 500);
    if (progress.state !== 'running') break;
    await sleep(Math.random() * 50);
    // One of those that run: another one continues, or a server without a process starts one.
    const running = processesOf(servers);
    const pid = running[stop % running.length];
    if (pid === undefined) continue;
    process.kill(pid, 'SIGSTOP');
    stopped.push(pid);
    // Those of the lines that it may be writing.
    const { read: at } = await untilImport(admin, app, id, () => true);
    for (let index = 0; index < ERASED_OF_STOP; index += 1) erased.add(emailOf(at + index * 70));
    await Promise.all(
      [...erased]
        .slice(-ERASED_OF_STOP)
        .map((email) => admin.post(`/auth/people/erase?sourceAppId=${app}`, { email, suppress: true }).expect(200)),
    );
    await untilImport(admin, app, id, (one) => one.state !== 'running' || one.read > at + 2_000);
    for (const one of stopped.splice(0)) process.kill(one, 'SIGCONT');
    logProgress(`stop ${stop} of ${STOPS}, ${at} of ${LINES} lines processed`);
  }
  const result = await untilImport(admin, app, id);
  expect(await runsOf()).toBeGreaterThan(1);
  const rejected = linesIn(await rejectsOf(admin, app, id));
  for (const server of servers) await server.end('SIGTERM');
  await expect.poll(() => processesOf(servers), POLL).toEqual([]);
  const records = await connection.collection('users').find({ sourceAppId: app }).toArray();
  expect(records.filter(({ email }) => erased.has(email))).toEqual([]);
  expect(result).toMatchObject({ state: 'completed', read: LINES, rejected: rejected.length });
  expect(result.created + result.updated).toBe(LINES - rejected.length);
  // Lines of persons who were not erased: each once, and the last one gives the number.
  const kept = Array.from({ length: LINES }, (_, index) => index).filter((index) => !erased.has(emailOf(index)));
  const items = records.flatMap(({ data }) => data.items.map(({ value }: { value: string }) => Number(value)));
  expect(items.sort((one, other) => one - other)).toEqual(kept.map((index) => index + 2));
  for (const { email, data } of records) {
    const last = LINES - PERSONS + Number(email.match(/\d+/)?.[0]);
    expect(data.n).toBe(last);
  }
  expect(rejected.every((line) => erased.has(emailOf(line - 2)))).toBe(true);
}, 600_000);
