import type { Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createWorkerPool } from '../../../src/operations/cluster/worker-pool.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';

it('replaces a worker that is stuck, and no other', { tags: 'long' }, async () => {
  const ended: Worker[] = [];
  const pool = createWorkerPool({
    count: 2,
    program: fileURLToPath(new URL('../../support/server/reporting-worker.mjs', import.meta.url)),
    setup: () => ({ uri: '', sessionSecret: '', port: 0 }),
    onMessage: () => undefined,
    onEnd: (worker) => ended.push(worker),
    logger: createLogger({ logLevel: 'silent' }),
    lookEveryMs: 100,
  });
  onTestFinished(pool.stop);
  await pool.start();
  const [stuck, other] = pool.serving();
  stuck?.process.kill('SIGSTOP');
  await expect.poll(() => ended, { timeout: 30_000 }).toEqual([stuck]);
  await expect.poll(() => pool.serving().size, { timeout: 30_000 }).toBe(2);
  expect(pool.serving()).toContain(other);
});
