import type { MetricsSnapshot } from '../../platform/metrics/metrics.ts';

/** What a worker needs beside its environment. A message, so that no other user can read it. */
export interface WorkerSetup {
  /** How to connect to the database; contains credentials. */
  uri: string;
  sessionSecret: string;
  port: number;
}

export type ToWorker =
  | { setup: WorkerSetup }
  | { stop: true }
  /** Asks for a snapshot of the worker's metrics. */
  | { collect: true }
  /** The metrics of the whole server, as text; undefined: they cannot be read. */
  | { metrics: string | undefined }
  /** Asks the worker to end this many connections, each with its next answer. */
  | { endConnections: number }
  /** A network that logged in at another worker. */
  | { known: string };

export type FromWorker =
  /** The worker reads messages; those sent before are lost. */
  | { reading: true }
  /** The worker listens, at this URL. */
  | { ready: string }
  /** The worker cannot start, for this reason. */
  | { failed: string }
  /** A background job has work. */
  | { wake: string }
  /** Events of records were stored. */
  | { events: true }
  /** Asks for the metrics of the whole server. */
  | { askMetrics: true }
  | { snapshot: MetricsSnapshot }
  /** The number of open connections of the worker. */
  | { connections: number }
  | { known: string };
