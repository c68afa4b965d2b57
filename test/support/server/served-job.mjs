// The program of the job `served` (test/http/job-process.test.ts): each step takes one from the
// number in the collection `work`.
import { createLogger } from '../../../dist/platform/core/logger.js';
import { connectDatabase } from '../../../dist/platform/database/client.js';
import { createJobLocks, createJobModel } from '../../../dist/platform/jobs/job-locks.js';
import { createJobRunner } from '../../../dist/platform/jobs/job-runner.js';
import { serveJob, serverLog } from '../../../dist/platform/jobs/serve-job.js';

const IDLE_MS = 1_500;

async function open({ uri }) {
  const connection = await connectDatabase(uri);
  const work = connection.collection('work');
  const hasWork = async () => (await work.findOne({ left: { $gt: 0 } })) !== null;
  const logger = createLogger({ logLevel: 'info' }, serverLog);
  const job = {
    name: 'served',
    everyMs: 100,
    async run() {
      const step = await work.findOneAndUpdate({ left: { $gt: 0 } }, { $inc: { left: -1 } });
      if (step?.fails) throw new TypeError('the step fails');
      if (step) logger.info({ left: step.left }, 'a step');
      return step !== null;
    },
  };
  const locks = createJobLocks(createJobModel(connection).collection);
  const jobs = createJobRunner({ locks, jobs: [job], logger });
  return {
    jobs,
    hasWork,
    async close() {
      await jobs.stop();
      await work.updateOne({}, { $set: { closed: true } });
      await connection.close();
    },
  };
}

await serveJob('served', open, IDLE_MS);
process.exit();
