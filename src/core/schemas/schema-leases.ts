import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, type ClockReading, isWithin, systemClock } from '../../platform/core/clock-readings.ts';
import { Unavailable } from '../../platform/core/errors.ts';
import { createSharedRead } from '../../platform/core/shared-read.ts';
import type { Issue } from '../../platform/languages/reasons.ts';
import type { App } from '../apps/app.ts';
import type { AppParts } from '../apps/app-part.ts';
import { LEASE_MS } from '../apps/revision.ts';
import { compileSchema, type Validator } from '../fields/compile.ts';
import { publicFields } from '../fields/definition.ts';
import type { AppSchema, ReadConcern, StoredSchema } from './schemas.model.ts';
import { createSharedSchemas } from './shared-schemas.ts';

/** A majority commits within milliseconds, unless members of the replica set are unavailable. */
const MAX_WAIT_MS = 1_000;
const RETRY_AFTER_MS = 20;

interface AppWithSchema {
  app: App;
  stored: StoredSchema;
}

/** The database reads of an app, of its newest schema, and of the revision. */
interface LeaseSource {
  findApp(sourceAppId: string, readConcern: ReadConcern): Promise<App | undefined>;
  newestSchema(app: App, readConcern: ReadConcern): Promise<StoredSchema | undefined>;
  readRevision(): Promise<string>;
}

/**
 * Resolves with an app and its newest schema once the primary and a majority agree on them, or with
 * undefined when the app does not exist (decision 4). The primary alone may return what is rolled
 * back later. The majority alone is not enough either: a new primary learns only with its first
 * commit which of its writes were acknowledged.
 *
 * @throws {Unavailable} when they do not agree within {@link MAX_WAIT_MS}
 */
async function readCommitted(
  source: LeaseSource,
  isSameApp: AppParts['isSame'],
  clock: Clock,
  sourceAppId: string,
): Promise<AppWithSchema | undefined> {
  const begun = clock().monotonic;
  for (;;) {
    const [local, majority] = await Promise.all([
      readOnce(source, sourceAppId, 'local'),
      readOnce(source, sourceAppId, 'majority'),
    ]);
    // A deletion is committed before the app's document is removed, so absence needs one read only.
    if (!local || isSame(local, majority, isSameApp)) return local;
    if (clock().monotonic - begun >= MAX_WAIT_MS) throw new Unavailable();
    await sleep(RETRY_AFTER_MS);
  }
}

async function readOnce(
  source: LeaseSource,
  sourceAppId: string,
  readConcern: ReadConcern,
): Promise<AppWithSchema | undefined> {
  const app = await source.findApp(sourceAppId, readConcern);
  const stored = app && (await source.newestSchema(app, readConcern));
  return app && stored && { app, stored };
}

function isSame(one: AppWithSchema, other: AppWithSchema | undefined, isSameApp: AppParts['isSame']): boolean {
  if (other === undefined || !one.app.id.equals(other.app.id) || !one.stored.id.equals(other.stored.id)) return false;
  return isSameApp(one.app, other.app);
}

const MAX_APPS = 10_000;

/** About 2 kB each, with the definition, where no two fields share a schema. */
const MAX_COMPILED_FIELDS = 100_000;

/** Upper bound on staleness when a change never bumped the revision (crash, manual edit). */
const MAX_AGE_MS = 60_000;

/** The `data` of a submission. */
export type Data = Record<string, unknown>;

/** What a feature adds to the rules of the fields for the data that is sent under a version. */
export interface DataRule {
  /** Returns the data that counts. */
  read(sent: Data): Data;
  /** Returns the problems of data that has no other problem. */
  issues(data: Data): Issue[];
}

/** An app and its newest schema, as one read returned them. Features add members. */
export interface Lease {
  app: App;
  schema: AppSchema;
  /** The schema without the fields of the staff; `schema` itself if it has none. */
  publicSchema: AppSchema;
  /** The id of the schema's document: a version number may be issued again after a rollback. */
  schemaId: string;
  validator: Validator;
  /** Those of features. Empty, as a rule. */
  rules: readonly DataRule[];
  isCurrent(): boolean;
  /** Returns whether the primary changed since the read, which may then have returned old state. */
  isRevoked(): boolean;
}

interface Read {
  begun: ClockReading;
  /** The revision that was known before the read began. */
  revision: string | undefined;
  /** The number of revocations before the read began. */
  revocations: number;
  isDone: boolean;
  result: Promise<Lease | undefined>;
}

/** What features add to a lease on a stored schema. */
interface LeaseParts {
  lease(stored: StoredSchema): Partial<Lease>;
  rules(stored: StoredSchema): readonly DataRule[];
}

type Compiled = Pick<Lease, 'schema' | 'publicSchema' | 'schemaId' | 'validator'>;

export type SchemaLeases = ReturnType<typeof createSchemaLeases>;

/**
 * Grants leases on the newest schema of an app (invariants 4 and 5). A lease is valid for
 * {@link LEASE_MS} from the start of its read (decision 4), and longer while a revision read within
 * the last {@link LEASE_MS} equals the one known before that read (decision 4). It never covers
 * state that a change of primary may roll back (decision 4).
 * @param parts what features say of an app and a schema
 * @param leaseMs replaces {@link LEASE_MS} in tests only
 */
export function createSchemaLeases(
  source: LeaseSource,
  parts: { apps: Pick<AppParts, 'isSame' | 'underSchema'>; schemas: LeaseParts },
  clock = systemClock,
  leaseMs = LEASE_MS,
) {
  const reads = new LRUCache<string, Read>({ max: MAX_APPS });
  const revisionReads = createSharedRead(source.readRevision, clock, leaseMs);
  let revocations = 0;
  const schemaOf = createSharedSchemas();
  const compiled = new LRUCache<string, Compiled>({
    max: MAX_APPS,
    maxSize: MAX_COMPILED_FIELDS,
    sizeCalculation: ({ schema }) => 1 + schema.fields.length,
    // Its lease holds the validator too.
    dispose: (_compiled, sourceAppId, reason) => {
      if (reason === 'evict') reads.delete(sourceAppId);
    },
  });

  function startRead(sourceAppId: string): Read {
    const begun = clock();
    const read: Read = {
      begun,
      // Later reads see the same state or a newer one.
      revision: revisionReads.last(),
      revocations,
      isDone: false,
      result: Promise.resolve(undefined),
    };
    read.result = load(sourceAppId, read);
    // Without a known revision this read cannot be renewed; the next one can.
    if (read.revision === undefined) revisionReads.asOf(begun).catch(() => undefined);
    reads.set(sourceAppId, read);
    read.result.then(
      () => {
        read.isDone = true;
      },
      // Not cached: the next caller reads again.
      () => drop(sourceAppId, read),
    );
    return read;
  }

  function drop(sourceAppId: string, read: Read): void {
    if (reads.peek(sourceAppId) === read) reads.delete(sourceAppId);
  }

  async function load(sourceAppId: string, read: Read): Promise<Lease | undefined> {
    const found = await readCommitted(source, parts.apps.isSame, clock, sourceAppId);
    if (!found) return undefined;
    const { stored } = found;
    const version = compile(found.app, stored);
    const app = parts.apps.underSchema(found.app, { validator: version.validator, stored });
    const isRevoked = (): boolean => revocations !== read.revocations;
    const isCurrent = (): boolean => !isRevoked() && (isRecent(read) || isConfirmed(read));
    const rules = parts.schemas.rules(stored);
    return { ...parts.schemas.lease(stored), app, ...version, rules, isCurrent, isRevoked };
  }

  const isRecent = ({ begun }: Read, now = clock()): boolean => isWithin(leaseMs, begun, now);

  const isConfirmed = ({ begun, revision }: Read): boolean =>
    revision !== undefined && isWithin(MAX_AGE_MS, begun, clock()) && revisionReads.confirms(revision);

  /** Resolves with the reason why a read may serve a call made at `requestedAt`, if any. */
  async function canServe(read: Read, requestedAt: ClockReading): Promise<'recent' | 'confirmed' | undefined> {
    if (isRecent(read, requestedAt)) return 'recent';
    if (!read.isDone || read.revision === undefined || !isWithin(MAX_AGE_MS, read.begun, requestedAt)) return undefined;
    return (await revisionReads.asOf(requestedAt)) === read.revision ? 'confirmed' : undefined;
  }

  /** Compiles a schema once while it is the newest of its app. Versions are immutable. */
  function compile(app: App, { id, schema }: StoredSchema): Compiled {
    const schemaId = id.toHexString();
    const cached = compiled.get(app.sourceAppId);
    if (cached?.schemaId === schemaId) return cached;
    const fields = publicFields(schema.fields);
    const publicSchema = fields === schema.fields ? schema : { ...schema, fields: [...fields] };
    const entry = { schemaId, schema, publicSchema, validator: compileSchema(schema, schemaOf) };
    compiled.set(app.sourceAppId, entry);
    return entry;
  }

  return {
    /**
     * Resolves with a lease on the app and its newest schema, or with undefined when the app does
     * not exist. The state was valid within the last {@link LEASE_MS}, or comes from a read that
     * began after this call, so that a slow database does not delay callers without bound.
     * @throws {Unavailable} when a majority does not confirm the newest state within a second
     */
    async hold(sourceAppId: string): Promise<Lease | undefined> {
      const requestedAt = clock();
      for (;;) {
        const cached = reads.get(sourceAppId);
        const service = cached && (await canServe(cached, requestedAt));
        if (cached && !service) {
          drop(sourceAppId, cached);
          continue; // another caller may have started a read meanwhile
        }
        const read = cached ?? startRead(sourceAppId);
        const lease = await read.result;
        // "No such app" never comes from an earlier read: the app may have been created since.
        const isOwnRead = read.begun.monotonic >= requestedAt.monotonic && read.revocations === revocations;
        // With a slow database the revision is older than a lease when its read ends, but it was
        // valid within the last LEASE_MS before this call or after it.
        const isConfirmed = service === 'confirmed' && lease !== undefined && !lease.isRevoked();
        if (isOwnRead || isConfirmed || lease?.isCurrent()) return lease;
        drop(sourceAppId, read);
      }
    },

    /** Discards this server's read of an app, so that the next lease includes its own change. */
    forget(sourceAppId: string): void {
      reads.delete(sourceAppId);
    },

    /**
     * Revokes all leases. Call it on a change of primary: the previous primary may have answered
     * reads for seconds after the election.
     */
    revokeAll(): void {
      revocations += 1;
      reads.clear();
      compiled.clear();
      revisionReads.clear();
    },
  };
}
