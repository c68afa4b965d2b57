import { onTestFinished } from 'vitest';
import type { TestServer } from './server.ts';

const HELD_MS = 600_000;

/**
 * Keeps a job from running on any server of the database, as if another server ran it, until the
 * end of the test at the latest. A test can read the progress of a job for as long as it needs.
 *
 * @returns lets the job run
 */
export async function holdJob({ db, services }: TestServer, name: string): Promise<() => Promise<void>> {
  const jobs = db.collection<{ _id: string }>('jobs');
  const lock = { owner: 'another server', until: new Date(Date.now() + HELD_MS) };
  await jobs.updateOne({ _id: name }, { $set: lock }, { upsert: true });
  const letRun = async () => {
    await jobs.updateOne({ _id: name }, { $set: { until: new Date(0) } });
    services.jobs.wake(name);
  };
  onTestFinished(letRun);
  return letRun;
}
