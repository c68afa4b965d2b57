import { readFileSync } from 'node:fs';
import { SERVER_FLAGS } from '../../../src/operations/cli/serve-command.ts';
import { createFamilyTime } from '../clock/thread-time.ts';
import { databaseUri, type Leftovers, ServerProcess } from './process.ts';

/** A server in a process of its own, so that its memory is not that of the test. */
export interface MeasuredServer {
  url: string;
  /** The most memory that `work` adds to what the process has before, in MB. */
  growthDuring(work: () => Promise<unknown>): Promise<number>;
  /**
   * The longest time that `work` blocks the event loop, as a multiple of a fixed computation of the
   * process, which takes 50 ms on an idle machine of today. Other processes only add to both, so
   * each is the least of several runs.
   */
  blockedDuring(work: () => Promise<unknown>): Promise<number>;
  /** The time of its main thread and those of its own processes so far, see thread-time.ts. */
  threadTime(): number;
}

const RUNS = 5;
const PROBE = new URL('event-loop-probe.mjs', import.meta.url).href;

/**
 * Starts a second server on the database of a `TestServer`, with its session secret: what is logged
 * in there is logged in here too.
 *
 * @param env variables as the program takes them
 */
export async function startMeasuredServer(
  leftovers: Leftovers,
  database: string,
  env: Record<string, string> = {},
): Promise<MeasuredServer> {
  const own = { MONGODB_URI: databaseUri(database), HOST: '127.0.0.1', LOG_LEVEL: 'error' };
  const secret = { SESSION_SECRET: 'a secret of the tests', DATA_DIR: await leftovers.dataDir() };
  const command = [process.execPath, ...SERVER_FLAGS, '--import', PROBE, 'dist/server.js'];
  const server = leftovers.keep(new ServerProcess({ ...own, ...secret, ...env }, command));
  const url = (await server.url()).replace('localhost', '127.0.0.1');
  const memory = (): number => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const familyTime = createFamilyTime();
  let probes = 0;
  /** Resolves with the times of the probe, in milliseconds; the next ones begin then. */
  const probe = async (): Promise<[number, number]> => {
    probes += 1;
    server.child.kill('SIGWINCH');
    const line = new RegExp(`event loop ${probes}: (\\S+) (\\S+);`);
    const [, blocked, unit] = await server.waitForOutput(line);
    return [Number(blocked), Number(unit)];
  };
  return {
    url,
    threadTime: () => familyTime(server.pid),
    async growthDuring(work) {
      const before = memory();
      let most = before;
      const timer = setInterval(() => {
        most = Math.max(most, memory());
      }, 20);
      try {
        await work();
      } finally {
        clearInterval(timer);
      }
      return Math.max(most, memory()) - before;
    },
    async blockedDuring(work) {
      const blocked: number[] = [];
      const units: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        await probe();
        await work();
        const [blockedMs, unitMs] = await probe();
        blocked.push(blockedMs);
        units.push(unitMs);
      }
      return Math.min(...blocked) / Math.min(...units);
    },
  };
}
