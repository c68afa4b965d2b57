import { execFileSync } from 'node:child_process';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../src/database/client.ts';
import { Client } from '../support/client.ts';
import { prepareImport, untilImport } from '../support/imports.ts';
import { databaseUri, Leftovers, ServerProcess } from '../support/process.ts';
import { rounds } from '../support/rounds.ts';
import { randomName } from '../support/server.ts';

const POLL = { timeout: 60_000, interval: 50 };
/** An import of so many takes longer than the stop of its process. */
const LINES = rounds(40_000, 12_000);
/** An import of so many takes longer than three seconds. */
const MANY_LINES = 40_000;
const ERASED = 7;
/** On a busy machine an import takes long. */
const LONG_MS = 180_000;
const ADMIN_PASSWORD = 'the-admin-password';
const SESSION_SECRET = 'the session secret of the test';

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

const imports = () => connection.collection('imports');

/** The processes that a server has started. */
function processesOf(server: ServerProcess): number[] {
  const output = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = output.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter(([, parent]) => parent === String(server.pid)).map(([pid]) => Number(pid));
}

/** Whether a process runs; one that ended and was not yet waited for does not. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

async function start(): Promise<{ server: ServerProcess; admin: Client }> {
  const env = { MONGODB_URI, ADMIN_PASSWORD, SESSION_SECRET, HOST: '127.0.0.1' };
  const server = leftovers.keep(new ServerProcess(env, [process.execPath, 'dist/server.js']));
  const url = (await server.url()).replace('localhost', '127.0.0.1');
  return { server, admin: await new Client(url).logIn('admin', ADMIN_PASSWORD) };
}

/** Starts a server, and an import that takes a while; resolves when it has applied some lines. */
async function startWithImport(lines = LINES) {
  const { server, admin } = await start();
  const { sourceAppId } = await admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] });
  const rows = Array.from({ length: lines }, (_, index) => `p${index}@example.com,${index}\n`);
  const id = await prepareImport(admin, sourceAppId, `email,data.n\n${rows.join('')}`);
  expect(processesOf(server)).toEqual([]);
  await admin.post(`/auth/imports/${id}/start?sourceAppId=${sourceAppId}`).expect(200);
  expect((await untilImport(admin, sourceAppId, id, ({ read }) => read > 0)).state).toBe('running');
  const [pid = 0, ...others] = processesOf(server);
  expect(others).toEqual([]);
  expect(isRunning(pid)).toBe(true);
  return { server, admin, sourceAppId, id, pid };
}

describe('the process of imports (decision 26)', () => {
  it(
    'ends when its server is killed',
    async () => {
      const { server, pid, admin, id, sourceAppId } = await startWithImport();
      await admin.delete(`/auth/imports/${id}?sourceAppId=${sourceAppId}`).expect(200);
      // What is left of the import would start a process of the next server.
      await expect.poll(() => imports().countDocuments(), POLL).toBe(0);
      await server.end('SIGKILL');
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
    },
    LONG_MS,
  );

  it(
    'ends with its server in an orderly way, so the next server continues at once',
    async () => {
      const { server, pid, id, sourceAppId } = await startWithImport();
      expect((await server.end('SIGTERM')).code).toBe(0);
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      const stopped = await imports().findOne({ state: 'running' });
      expect(stopped?._id.toHexString()).toBe(id);
      expect(stopped).not.toHaveProperty('runner');
      const next = await start();
      const done = await untilImport(next.admin, sourceAppId, id);
      expect(done).toMatchObject({ state: 'completed', read: LINES, created: LINES });
      // Its process would take the imports of the tests that follow.
      await next.server.end('SIGTERM');
    },
    LONG_MS,
  );

  it(
    'ends in an orderly way when its server does not wait for it',
    async () => {
      const { server, pid, id } = await startWithImport();
      process.kill(pid, 'SIGSTOP');
      // Not `ended`: the stopped process still holds the standard error of the server.
      const exited = new Promise((resolve) => server.child.once('exit', resolve));
      server.child.kill('SIGTERM');
      expect(await exited).toBe(0);
      process.kill(pid, 'SIGCONT');
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      const stopped = await imports().findOne({ _id: new ObjectId(id) });
      expect(stopped).toMatchObject({ state: 'running' });
      expect(stopped).not.toHaveProperty('runner');
      await imports().deleteOne({ _id: new ObjectId(id) });
    },
    LONG_MS,
  );

  it(
    'that was stopped while another one took its import over writes nothing when it continues',
    async () => {
      const { server, sourceAppId, id, pid } = await startWithImport();
      process.kill(pid, 'SIGSTOP');
      const { server: next, admin } = await start();
      const { read } = await untilImport(admin, sourceAppId, id, () => true);
      // Nobody knows how far the process was when it stopped.
      const erased = Array.from({ length: ERASED }, (_, index) => `p${read + index * 50}@example.com`);
      await Promise.all(
        erased.map((email) =>
          admin.post(`/auth/people/erase?sourceAppId=${sourceAppId}`, { email, suppress: true }).expect(200),
        ),
      );
      const done = await untilImport(admin, sourceAppId, id);
      process.kill(pid, 'SIGCONT');
      expect((await server.end('SIGTERM')).code).toBe(0);
      await expect.poll(() => isRunning(pid), POLL).toBe(false);
      expect(done).toMatchObject({ state: 'completed', read: LINES, created: LINES - done.rejected });
      const users = connection.collection('users');
      expect(await users.countDocuments({ sourceAppId })).toBe(LINES - ERASED);
      expect(await users.countDocuments({ sourceAppId, email: { $in: erased } })).toBe(0);
      await next.end('SIGTERM');
    },
    LONG_MS,
  );

  it(
    'runs for one of two servers at a time',
    async () => {
      const [{ server }, other] = [await startWithImport(MANY_LINES), await start()];
      for (let look = 0; look < 3; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(processesOf(other.server)).toEqual([]);
      }
      expect(processesOf(server)).toHaveLength(1);
    },
    LONG_MS,
  );
});
