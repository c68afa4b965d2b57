import type { JobState } from '../job.ts';

/** What a server sends to the process of a job. */
export type ToProcess = { setup: unknown } | 'wake' | 'stop';

/** What the process sends to the server: the state of its job, or a line of its log as JSON. */
export type FromProcess = { state: JobState } | { log: string };
