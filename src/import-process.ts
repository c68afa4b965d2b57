import { constants, setPriority } from 'node:os';
import { createContainer } from './container/container.ts';
import type { ImportSetup } from './container/imports.ts';
import { loadConfig } from './core/config.ts';
import { createLogger } from './core/logger.ts';
import { connectDatabase } from './database/client.ts';
import { IMPORT_JOB } from './imports/run/import-job.ts';
import { serveJob, serverLog } from './jobs/process/serve-job.ts';

// The process in which a server runs imports (decision 26).

// Requests come first when processors are short.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const config = loadConfig(process.env);
await serveJob<ImportSetup>(IMPORT_JOB, async ({ uri, sessionSecret }) => {
  const connection = await connectDatabase(uri);
  const own = { ...config, sessionSecret, metricsToken: undefined };
  const { jobs, imports, stop } = createContainer(own, connection, createLogger(config, serverLog));
  return {
    ...{ jobs, hasWork: imports.hasWork },
    async close() {
      await stop();
      await connection.close();
    },
  };
});
process.exit();
