import type { Metrics, Sample } from '../metrics/metrics.ts';
import type { JobRunner, JobState } from './job-runner.ts';

/** Measures the background jobs of this server. */
export function measureJobs(jobs: Pick<JobRunner, 'states'>, metrics: Metrics): void {
  const ofEach = (read: (state: JobState) => number) => (): Sample[] =>
    jobs.states().map((state) => ({ labels: { job: state.name }, value: read(state) }));
  const labels = ['job'];
  metrics.total(
    'job_steps_total',
    { help: 'Steps of background jobs that this server finished', labels },
    ofEach(({ steps }) => steps),
  );
  metrics.total(
    'job_failures_total',
    { help: 'Steps of background jobs that failed on this server', labels },
    ofEach(({ failures }) => failures),
  );
  metrics.gauge(
    'job_running',
    { help: 'Whether a step of a background job runs on this server', labels },
    ofEach(({ isRunning }) => Number(isRunning)),
  );
}
