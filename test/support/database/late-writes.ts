import { afterAll, afterEach, beforeAll } from 'vitest';
import type { TcpProxy } from '../peers/proxy.ts';
import { FULL_LEASES, startServer, type TestServer } from '../server/server.ts';
import { startSlow } from '../server/slow-server.ts';

/** Servers on one database, with which a write can take effect after its lease. */
interface LateWrites {
  /** A server that reaches the database through `proxy`. It runs no jobs. */
  slow: TestServer;
  proxy: TcpProxy;
  /** A server that runs the jobs, and does not wait for late writes. */
  builder: TestServer;
}

/**
 * Registers the hooks of tests of late writes: starts the servers, and restores the proxy after
 * each test.
 *
 * @param database returns the name of the database; called before the first test
 */
export function withLateWrites(database: () => string): LateWrites {
  const context = {} as LateWrites;
  beforeAll(async () => {
    Object.assign(context, await startSlow({}, database(), { ...FULL_LEASES, writesEndMs: 300 }));
    // A lock that it holds would delay the other server.
    await context.slow.services.jobs.stop();
    context.builder = await startServer({}, database(), { ...FULL_LEASES, writesEndMs: 0 });
  });
  afterEach(() => context.proxy.restore());
  afterAll(async () => {
    await context.builder.close();
    await context.slow.close();
  });
  return context;
}
