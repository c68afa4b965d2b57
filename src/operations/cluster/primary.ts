import type { Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../platform/core/config.ts';
import { freePort } from '../../platform/core/free-port.ts';
import type { Logger } from '../../platform/core/logger.ts';
import { createBalance } from './balance.ts';
import { createMetricsOfWorkers } from './metrics-of-workers.ts';
import { openService, type Running } from './service.ts';
import { createWorkerPool, sendTo } from './worker-pool.ts';

/**
 * Starts a server of several processes (decision 40). This one owns the configuration, the database
 * and the background jobs; the workers accept connections and serve them.
 */
export async function startPrimary(config: Config, logger: Logger, say: (line: string) => void): Promise<Running> {
  // Workers that start later listen where the first ones did, also with PORT=0.
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const opened = await openService(config, logger, say);
  const { services, secret, database } = opened;
  const pool = createWorkerPool({
    count: config.workers,
    program: fileURLToPath(new URL('../../worker-process.js', import.meta.url)),
    setup: () => ({ uri: database.uri, sessionSecret: secret, port }),
    logger,
    onEnd: (worker) => metrics.end(worker),
    onMessage(message, worker) {
      if ('wake' in message) services.jobs.wake(message.wake);
      else if ('events' in message) services.outboxSignal.notify();
      else if ('known' in message) tellOthers(worker, message.known);
      else if ('snapshot' in message) metrics.note(worker, message.snapshot);
      else if ('connections' in message) balance.note(worker, message.connections);
      else if ('askMetrics' in message) void answerMetrics(worker);
    },
  });
  const metrics = createMetricsOfWorkers(services.metrics, pool.serving);
  const balance = createBalance(pool.serving);

  function tellOthers(worker: Worker, known: string): void {
    for (const other of pool.serving()) if (other !== worker) sendTo(other, { known });
  }

  async function answerMetrics(worker: Worker): Promise<void> {
    sendTo(worker, { metrics: await metrics.read().catch(() => undefined) });
  }

  try {
    const url = await pool.start();
    return {
      url,
      first: await opened.first(),
      async close() {
        await Promise.all([pool.stop(), services.stop()]);
        await database.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
