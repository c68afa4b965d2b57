import { expect, onTestFinished } from 'vitest';
import type { TestServer } from '../server/server.ts';

const HELD_MS = 600_000;

/**
 * Keeps jobs from running on any server of the database, as if another server ran them, until the
 * end of the test at the latest. A test can read the progress of a job for as long as it needs, or
 * hold a statement of a request that a job would make needless.
 *
 * @returns lets the jobs run
 */
export async function holdJob({ db, services }: TestServer, ...names: string[]): Promise<() => Promise<void>> {
  const jobs = db.collection<{ _id: string }>('jobs');
  const lock = { owner: 'another server', until: new Date(Date.now() + HELD_MS) };
  for (const _id of names) await jobs.updateOne({ _id }, { $set: lock }, { upsert: true });
  // A step that has begun goes on without its lock.
  const isRunning = () => services.jobs.states().some((job) => names.includes(job.name) && job.isRunning);
  await expect.poll(isRunning).toBe(false);
  const letRun = async () => {
    await jobs.updateMany({ _id: { $in: names } }, { $set: { until: new Date(0) } });
    for (const name of names) services.jobs.wake(name);
  };
  onTestFinished(letRun);
  return letRun;
}
