import { constants, setPriority } from 'node:os';
import { IMPORT_JOB } from './features/imports/import-job.ts';
import type { ImportSetup } from './features/imports/imports.ts';
import { loadConfig } from './platform/core/config.ts';
import { createLogger, reasonOf } from './platform/core/logger.ts';
import { connectDatabase } from './platform/database/client.ts';
import { serveJob, serverLog } from './platform/jobs/serve-job.ts';
import { createServices } from './services.ts';

// The process in which a server runs imports (decision 40).

// Requests come first when processors are short.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const config = loadConfig(process.env);
const logger = createLogger(config, serverLog);
try {
  await serveJob<ImportSetup>(IMPORT_JOB, async ({ uri, sessionSecret }) => {
    const connection = await connectDatabase(uri);
    // The server measures.
    const own = { ...config, sessionSecret, metricsToken: undefined };
    const { jobs, imports, files, stop } = createServices(own, connection, logger);
    await files.content.load();
    return {
      jobs,
      hasWork: imports.hasWork,
      async close() {
        // Without the time limit of `stop`: the batch in progress ends, and its import is released.
        await jobs.stop();
        await stop();
        await connection.close();
      },
    };
  });
  process.exit();
} catch (error) {
  // The message of the driver may contain the URI.
  logger.error({ reason: reasonOf(error) }, 'imports cannot run');
  process.exit(1);
}
