// @module-tag long
// @module-tag fault

import { readdir, readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { randomName } from '../support/database/databases.ts';
import { rounds } from '../support/run/rounds.ts';
import { databaseUri, Leftovers, Process, ServerProcess } from '../support/server/process.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const CLIENTS = 20;

/** The result of the requests on one connection. */
interface ConnectionResult {
  answered: number;
  failed: string | undefined;
}

/**
 * Sends requests on one keep-alive connection until a response has `Connection: close`. The server
 * receives every request, so each one must get a response.
 */
async function requestUntilClosed(url: string): Promise<ConnectionResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const result: ConnectionResult = { answered: 0, failed: undefined };
  for (let last = false; !last; ) {
    last = await new Promise<boolean>((resolve) => {
      const request = get(`${url}/ready`, { agent }, (response) => {
        response.resume().once('end', () => {
          result.answered += 1;
          resolve(response.headers.connection === 'close');
        });
      });
      request.once('error', (error) => {
        result.failed = error.message;
        resolve(true);
      });
    });
  }
  agent.destroy();
  return result;
}

/** Sends a request on a connection of its own; resolves with its status or error. */
function request(url: string): Promise<string> {
  return new Promise((resolve) => {
    get(`${url}/health`, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
    }).once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
  });
}

async function underLoad(server: ServerProcess) {
  const url = await server.url();
  const clients = Array.from({ length: CLIENTS }, () => requestUntilClosed(url));
  // A response on another connection, opened later, shows that the load has started.
  await fetch(`${url}/ready`);
  return { url, finished: Promise.all(clients) };
}

describe('stop under keep-alive load', () => {
  it.each([
    ['SIGTERM', 'the server', ['node', 'dist/server.js']],
    ['SIGINT', 'the server', ['node', 'dist/server.js']],
    ['SIGTERM', 'npm start', ['npm', 'start', '--silent']],
    ['SIGTERM', 'two workers', ['node', 'dist/server.js']],
  ] as const)(
    'responds to every request, exits with code 0 and closes the port: %s to %s',
    async (signal, program, command) => {
      const database: Record<string, string> =
        program === 'npm start' ? { DATA_DIR: await leftovers.dataDir() } : { MONGODB_URI: databaseUri(randomName()) };
      const WORKERS = program === 'two workers' ? '2' : '1';
      const env = { ...database, WORKERS, LOG_LEVEL: 'silent', SESSION_SECRET: 'of the stop tests' };
      const server = leftovers.keep(new ServerProcess(env, command));
      const { url, finished } = await underLoad(server);
      const ended = await server.end(signal);
      const clients = await finished;
      expect(clients.map(({ failed }) => failed)).toEqual(Array(CLIENTS).fill(undefined));
      expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(0);
      // The server exits with code 1 if the stop takes more than 10 seconds.
      // The shell of npm may end on the signal; npm then ends by it too.
      expect(ended).toMatchObject({ code: program === 'npm start' ? expect.toBeOneOf([0, null]) : 0, stderr: '' });
      await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    },
  );

  it('answers the requests on connections that no worker has accepted', async () => {
    const env = { WORKERS: '2', LOG_LEVEL: 'silent', SESSION_SECRET: 'of the stop tests' };
    for (let round = 0; round < rounds(10, 1); round += 1) {
      const server = leftovers.keep(new ServerProcess({ ...env, MONGODB_URI: databaseUri(randomName()) }));
      const url = await server.url();
      const children = (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')).trim().split(' ');
      const signal = (name: NodeJS.Signals) => children.map((child) => process.kill(Number(child), name));
      signal('SIGSTOP');
      // The kernel connects these clients, and no worker accepts them before it knows of the stop.
      const waiting = Array.from({ length: 40 }, () => request(url));
      const ended = server.end('SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal('SIGCONT');
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['200']));
    }
  });

  it('ignores a second signal: Ctrl-C under npm sends two', async () => {
    const DATA_DIR = await leftovers.dataDir();
    const server = leftovers.keep(new ServerProcess({ DATA_DIR, LOG_LEVEL: 'silent' }));
    const { finished } = await underLoad(server);
    process.kill(server.pid, 'SIGINT');
    process.kill(server.pid, 'SIGTERM');
    expect(await server.end('SIGINT')).toMatchObject({ code: 0 });
    expect((await finished).map(({ failed }) => failed)).toEqual(Array(CLIENTS).fill(undefined));
  });

  it('closes once, with exit code 1, when a signal follows an unexpected error', async () => {
    const program = `
      const { closeOnce } = await import(process.argv[1]);
      const logger = { fatal() {}, error() {}, warn() {}, info() {} };
      const running = { close: () => (console.log('close'), new Promise((resolve) => setTimeout(resolve, 200))) };
      const stop = closeOnce(Promise.resolve(running), logger);
      process.on('SIGTERM', stop);
      setImmediate(() => {
        setImmediate(() => process.kill(process.pid, 'SIGTERM'));
        throw new Error('unexpected');
      });
    `;
    const stop = new URL('../../dist/operations/cluster/stop.js', import.meta.url).href;
    const ended = await leftovers.keep(new Process([process.execPath, '--input-type=module', '--eval', program, stop]))
      .ended;
    expect([ended.code, ended.stdout]).toEqual([1, 'close\n']);
  });

  it('leaves no mongod running if a signal arrives during the start', async () => {
    const DATA_DIR = await leftovers.dataDir();
    const server = leftovers.keep(new ServerProcess({ DATA_DIR, LOG_LEVEL: 'silent' }));
    // The server writes the pid file immediately before it starts mongod.
    while (!(await readdir(DATA_DIR)).some((name) => name.endsWith('.pid'))) await new Promise(setImmediate);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect((await readdir(DATA_DIR)).filter((name) => name.endsWith('.pid'))).toEqual([]);
  });
});
