import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import { randomName } from '../database/databases.ts';
import { rounds } from '../run/rounds.ts';
import { Client } from './client.ts';
import { prepareImport, untilImport } from './imports.ts';
import { databaseUri, Leftovers, ServerProcess } from './process.ts';

export const POLL = { timeout: 60_000, interval: 50 };
/** An import of so many takes longer than the stop of its process. */
export const IMPORTED_LINES = rounds(40_000, 12_000);
/** On a busy machine an import takes long. */
export const LONG_MS = 180_000;
const ADMIN_PASSWORD = 'the-admin-password';
const SESSION_SECRET = 'the session secret of the test';

/** The processes that a server has started. */
export function processesOf(server: ServerProcess): number[] {
  const output = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = output.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter(([, parent]) => parent === String(server.pid)).map(([pid]) => Number(pid));
}

/** Whether a process runs; one that ended and was not yet waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

/** Registers the hooks of tests with server processes on one database, which run imports. */
export function withImportProcesses() {
  const leftovers = new Leftovers();
  const uri = databaseUri(randomName());
  let connection: Connection;
  beforeAll(async () => {
    connection = await connectDatabase(uri);
  });
  afterAll(async () => {
    await leftovers.clear();
    await connection.close();
  });

  async function start(): Promise<{ server: ServerProcess; admin: Client }> {
    const env = { MONGODB_URI: uri, ADMIN_PASSWORD, SESSION_SECRET, HOST: '127.0.0.1' };
    const server = leftovers.keep(new ServerProcess(env, [process.execPath, 'dist/server.js']));
    const url = (await server.url()).replace('localhost', '127.0.0.1');
    return { server, admin: await new Client(url).logIn('admin', ADMIN_PASSWORD) };
  }

  /** Starts a server, and an import that takes a while; resolves when it has applied some lines. */
  async function startWithImport(lines = IMPORTED_LINES) {
    const { server, admin } = await start();
    const { sourceAppId } = await admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
    const rows = Array.from({ length: lines }, (_, index) => `p${index}@example.com,${index}\n`);
    const id = await prepareImport(admin, sourceAppId, `email,data.n\n${rows.join('')}`);
    // One may remove what an earlier import left.
    await expect.poll(() => processesOf(server), POLL).toEqual([]);
    await admin.post(`/auth/imports/${id}/start?sourceAppId=${sourceAppId}`).expect(200);
    expect((await untilImport(admin, sourceAppId, id, ({ read }) => read > 0)).state).toBe('running');
    const [pid = 0, ...others] = processesOf(server);
    expect(others).toEqual([]);
    expect(isRunning(pid)).toBe(true);
    return { server, admin, sourceAppId, id, pid };
  }

  return {
    start,
    startWithImport,
    imports: () => connection.collection('imports'),
    users: () => connection.collection('users'),
  };
}
