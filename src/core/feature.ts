import type { ObjectId } from 'mongodb';
import type { CollectionIndexes } from '../platform/database/indexes.ts';
import type { RemovalGuard } from '../platform/database/removal.ts';
import type { BodyPart } from '../platform/http/body-readers.ts';
import type { Refuse } from '../platform/http/error-handlers.ts';
import type { Job } from '../platform/jobs/job-runner.ts';
import type { JobWorker } from '../platform/jobs/job-worker.ts';
import type { Migration } from '../platform/migrations/migration.ts';
import type { AuditPart, OriginCheck, Route } from './api/endpoint.ts';
import type { CallerPart } from './api/principal.ts';
import type { SessionPart } from './sessions/session-part.ts';

/** Data deleted with an incarnation of an app; features depend on apps (docs/architecture.md). */
export interface AppOwned {
  /** Stores the initial data of a new app before it becomes visible. Idempotent. */
  prepare?(appId: ObjectId): Promise<void>;
  /**
   * Removes the app's data, or what was created at or after `since`. Idempotent.
   * @param guard called before each removal; rejects when the app was restored
   * @returns the number of removed documents
   */
  removeAll(appId: ObjectId, since?: Date, guard?: RemovalGuard): Promise<number>;
  /** Resolves with whether the app has data created before, or at or after (`since`), `time`. */
  has(appId: ObjectId, made: 'before' | 'since', time: Date): Promise<boolean>;
}

/** What a feature declares; services.ts reads it. Features may add members (decision 53). */
export interface Feature {
  /** Reads bodies of other media types than JSON. */
  bodies?: BodyPart;
  /** Decides which pages of other sites may call the endpoints of public clients. */
  origins?: OriginCheck;
  /** The request headers that pages of other origins may send. */
  headers?: readonly string[];
  /** A function composes them from the parts of all features. */
  routes?: readonly Route[] | (() => readonly Route[]);
  sessions?: SessionPart;
  callers?: CallerPart;
  audit?: AuditPart;
  /** Answers visitors after refusals of requests below a path. */
  refusals?: Readonly<Record<string, Refuse>>;
  /** The collections whose indexes exist before the server listens. */
  models?: readonly CollectionIndexes[] | (() => readonly CollectionIndexes[]);
  jobs?: readonly Job[];
  workers?: readonly JobWorker[];
  owned?: readonly AppOwned[];
  migrations?: readonly Migration[];
  /** Resolves with what an operator should correct, for `GET /ready`. */
  warnings?(): Promise<readonly string[]>;
  /** Repairs stored data at each start, after the migrations. */
  prepare?(): Promise<void>;
  /** Stops work in progress, before the background jobs stop. */
  stop?(): Promise<void>;
  /** Writes pending data and releases connections, after the background jobs have stopped. */
  close?(): unknown;
}

/**
 * Returns the endpoints of each feature. A feature extends an endpoint of the core when it declares
 * one of the same name, method and path before it. Call it when all features exist.
 * @throws {Error} when two endpoints of different names have one method and path
 */
export function routesOf(features: readonly Feature[]): Route[][] {
  const known = new Map<string, string>();
  return features.map(({ routes = [] }) =>
    (typeof routes === 'function' ? routes() : routes).filter(({ name, spec: { method, path } }) => {
      const place = `${method} ${path}`;
      const earlier = known.get(place);
      if (earlier !== undefined && earlier !== name) throw new Error(`${earlier} and ${name} are both ${place}`);
      known.set(place, name);
      return earlier === undefined;
    }),
  );
}

/** Returns the models of all features. */
export const modelsOf = (features: readonly Feature[]): CollectionIndexes[] =>
  features.flatMap(({ models = [] }) => [...(typeof models === 'function' ? models() : models)]);
