import { readdir } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseUri, Leftovers, ServerProcess } from '../support/process.ts';
import { randomName } from '../support/server.ts';

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

const CLIENTS = 20;

/** What one connection saw: it asks again and again, and stops when the server says that the connection ends. */
interface Seen {
  answered: number;
  failed: string | undefined;
}

/** Asks on one keep-alive connection until an answer says `Connection: close`. Every request on it is received, so each must be answered. */
async function askUntilClosed(url: string): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: Seen = { answered: 0, failed: undefined };
  for (let last = false; !last; ) {
    last = await new Promise<boolean>((done) => {
      const request = get(`${url}/ready`, { agent }, (response) => {
        response.resume().once('end', () => {
          seen.answered += 1;
          done(response.headers.connection === 'close');
        });
      });
      request.once('error', (error) => {
        seen.failed = error.message;
        done(true);
      });
    });
  }
  agent.destroy();
  return seen;
}

async function underLoad(server: ServerProcess) {
  const url = await server.url();
  const clients = Array.from({ length: CLIENTS }, () => askUntilClosed(url));
  // The load has begun when an answer has come on a connection of its own, behind those.
  await fetch(`${url}/ready`);
  return { url, finished: Promise.all(clients) };
}

describe('a stop under keep-alive load', () => {
  it.each([
    ['SIGTERM', 'the server', ['node', 'scripts/start.mjs']],
    ['SIGINT', 'the server', ['node', 'scripts/start.mjs']],
    ['SIGTERM', 'npm start', ['npm', 'start', '--silent']],
    ['SIGINT', 'npm start', ['npm', 'start', '--silent']],
  ] as const)(
    '%s to %s: every request is answered, the code is 0, nobody listens any more',
    async (signal, program, command) => {
      const database: Record<string, string> =
        program === 'npm start' ? { DATA_DIR: await leftovers.folder() } : { MONGODB_URI: databaseUri(randomName()) };
      const env = { ...database, LOG_LEVEL: 'silent', SESSION_SECRET: 'of the stop tests' };
      const server = leftovers.keep(new ServerProcess(env, command));
      const { url, finished } = await underLoad(server);
      const ended = await server.end(signal);
      const clients = await finished;
      expect(clients.map(({ failed }) => failed)).toEqual(Array(CLIENTS).fill(undefined));
      expect(Math.min(...clients.map(({ answered }) => answered))).toBeGreaterThan(0);
      // Of its own: above 10 seconds it would have ended itself with code 1.
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
    },
  );

  it('a second signal does not cut the first stop short: Ctrl-C under npm comes twice', async () => {
    const DATA_DIR = await leftovers.folder();
    const server = leftovers.keep(new ServerProcess({ DATA_DIR, LOG_LEVEL: 'silent' }));
    const { finished } = await underLoad(server);
    process.kill(server.pid, 'SIGINT');
    process.kill(server.pid, 'SIGTERM');
    expect(await server.end('SIGINT')).toMatchObject({ code: 0 });
    expect((await finished).map(({ failed }) => failed)).toEqual(Array(CLIENTS).fill(undefined));
  });

  it('a signal while it starts leaves no mongod behind', async () => {
    const DATA_DIR = await leftovers.folder();
    const server = leftovers.keep(new ServerProcess({ DATA_DIR, LOG_LEVEL: 'silent' }));
    // Its claim is laid just before mongod is started.
    while (!(await readdir(DATA_DIR)).some((name) => name.endsWith('.pid'))) await new Promise(setImmediate);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect((await readdir(DATA_DIR)).filter((name) => name.endsWith('.pid'))).toEqual([]);
  });
});
