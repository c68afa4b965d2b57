// A server that holds the lock of the job `orphaned` until it is killed (test/http/jobs.test.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../../dist/platform/core/logger.js';
import { connectDatabase } from '../../../dist/platform/database/client.js';
import { createJobLocks, createJobModel } from '../../../dist/platform/jobs/job-locks.js';
import { createJobRunner } from '../../../dist/platform/jobs/job-runner.js';

const connection = await connectDatabase(process.env.MONGODB_URI ?? '');
const locks = createJobLocks(createJobModel(connection).collection);
const orphaned = {
  name: 'orphaned',
  everyMs: 10,
  async run() {
    process.stdout.write('running\n');
    await sleep(60_000);
    return true;
  },
};
createJobRunner({ locks, jobs: [orphaned], logger: createLogger({ logLevel: 'silent' }) }).start();
