import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { type Connection, connectDatabase } from '../../../src/platform/database/client.ts';
import type { Job } from '../../../src/platform/jobs/job.ts';
import type { TcpProxy } from '../peers/proxy.ts';
import { FULL_LEASES, startServer, type TestServer } from '../server/server.ts';
import { startSlow } from '../server/slow-server.ts';
import { createModels } from './models.ts';

/** Servers on one database, with a job of a server that lost its lock and does not know. */
interface LateSteps {
  /** A server that runs the jobs, and does not wait for late writes. */
  server: TestServer;
  /** A server that reaches the database through `proxy`, and runs no jobs. */
  slow: TestServer;
  proxy: TcpProxy;
  /** The job that goes on late. It reaches the database through `proxy`. */
  slowJob: Job;
  /** Stops the jobs of `server` until the returned function is called. */
  pauseJobs(): Promise<() => Promise<void>>;
  /** Begins a request on `slow`; resolves when the proxy holds its write of a record. */
  heldWrite(
    command: string,
    send: () => PromiseLike<{ status: number }>,
  ): Promise<{ forward(): Promise<void>; answer: Promise<number> }>;
}

/**
 * Registers the hooks of tests of late steps of a job: starts the servers, and restores the proxy
 * after each test.
 *
 * @param checksMs when indexes are checked @param createJob creates the job that goes on late
 */
export function withLateSteps(
  checksMs: readonly number[],
  createJob: (models: ReturnType<typeof createModels>) => Job,
): LateSteps {
  const start = (database?: string) => startServer({}, database, { ...FULL_LEASES, writesEndMs: 0, checksMs });
  let connection: Connection;
  const late = {
    async pauseJobs() {
      await late.server.services.jobs.stop();
      return async () => {
        await late.server.close();
        late.server = await start(late.server.database);
      };
    },
    async heldWrite(command, send) {
      const held = late.proxy.holdNext(command, 'users');
      const answer = send().then(({ status }) => status);
      return { forward: await held, answer };
    },
  } as LateSteps;
  beforeAll(async () => {
    late.server = await start();
    Object.assign(late, await startSlow({}, late.server.database, FULL_LEASES));
    await late.slow.services.jobs.stop();
    const uri = new URL(inject('mongodbUri'));
    uri.port = String(late.proxy.port);
    uri.pathname = `/${late.server.database}`;
    connection = await connectDatabase(uri.href);
    late.slowJob = createJob(createModels(connection));
  });
  afterEach(() => late.proxy.restore());
  afterAll(async () => {
    await connection.close();
    await late.slow.close();
    await late.server.close();
  });
  return late;
}
