import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { App } from '../apps/apps.service.ts';
import { LEASE_MS } from '../apps/revision.ts';
import { Unavailable } from '../core/errors.ts';
import { compileSchema, type Validator } from '../fields/compile.ts';
import { type Clock, isWithin, type Moment, momentOf, systemClock } from './clock.ts';
import { createRevisionReads } from './revision-reads.ts';
import type { AppSchema, StoredSchema } from './schema-store.ts';

/** How many apps' compiled schemas are kept; the least used go first. */
const MAX_APPS = 10_000;

/**
 * An app is read again after this long even if the change stamp says that nothing changed: a server that died between a change and its new stamp (nobody was told that the change took effect), or a hand in
 * the database, leaves none.
 */
const MAX_AGE_MS = 60_000;

/**
 * How long a read goes on while the newest state may still be rolled back, and how often it looks. A
 * change is committed by a majority within milliseconds, unless members of the replica set are away.
 */
const SETTLES_WITHIN_MS = 1_000;
const LOOK_AGAIN_MS = 20;

/** An app and its newest schema, as read at one moment. */
export interface Lease {
  app: App;
  schema: AppSchema;
  /** Of the schema's document: a version number may come again after a rollback. */
  schemaId: string;
  validator: Validator;
  /** Whether what was read may still be relied on. */
  isCurrent(): boolean;
  /** Whether it was read from a primary that is none any more, and so may have been out of date when it was read. */
  isRevoked(): boolean;
}

interface Read {
  /** When the read began. */
  begun: Moment;
  /** The change stamp as it was read before this read began, if it was. */
  revision: string | undefined;
  /** How many revocations there had been then. */
  revocations: number;
  isDone: boolean;
  result: Promise<Lease | undefined>;
}

type Compiled = Pick<Lease, 'schema' | 'schemaId' | 'validator'>;

/** An app and its newest schema, as one read saw them. */
interface Seen {
  app: App;
  stored: StoredSchema;
}

type ReadConcern = 'local' | 'majority';

export type SchemaLeases = ReturnType<typeof createSchemaLeases>;

/**
 * Hands out leases: the newest schema of an app, which may be used for 100 ms after the read of it began (invariants 4 and 5, and decision 4), and on for as long as the change
 * stamp, read within the last 100 ms, is the one from before that read. All that ask meanwhile share one read of the app, and one of the stamp.
 *
 * A lease is never given on what a change of primary may still roll back (docs/decisions/0016).
 */
export function createSchemaLeases(
  source: {
    findApp(sourceAppId: string, readConcern: ReadConcern): Promise<App | undefined>;
    newestSchema(app: App, readConcern: ReadConcern): Promise<StoredSchema | undefined>;
    readRevision(): Promise<string>;
  },
  clock: Clock = systemClock,
) {
  const reads = new LRUCache<string, Read>({ max: MAX_APPS });
  const revisionReads = createRevisionReads(source.readRevision, clock);
  let revocations = 0;
  const compiled = new LRUCache<string, Compiled>({ max: MAX_APPS });

  function begin(sourceAppId: string): Read {
    const begun = momentOf(clock);
    const read: Read = {
      begun,
      revision: revisionReads.last(),
      revocations,
      isDone: false,
      result: Promise.resolve(undefined),
    };
    read.result = load(sourceAppId, read);
    // So that the next read has one to be held against.
    if (read.revision === undefined) revisionReads.asOf(begun).catch(() => undefined);
    reads.set(sourceAppId, read);
    read.result.then(
      () => {
        read.isDone = true;
      },
      // A failed read is nobody's lease: the next one that asks reads again.
      () => drop(sourceAppId, read),
    );
    return read;
  }

  function drop(sourceAppId: string, read: Read): void {
    if (reads.peek(sourceAppId) === read) reads.delete(sourceAppId);
  }

  async function load(sourceAppId: string, read: Read): Promise<Lease | undefined> {
    const seen = await settled(sourceAppId);
    if (!seen) return undefined;
    const { app, stored } = seen;
    const isRevoked = (): boolean => revocations !== read.revocations;
    const isCurrent = (): boolean => !isRevoked() && (isYoung(read) || isUnchanged(read));
    return { app, ...compile(app, stored), isCurrent, isRevoked };
  }

  /**
   * The app and its newest schema when the primary and a majority agree on them; repeats the reads until
   * they do. The primary alone may show what is rolled back later. The majority alone is not enough
   * either: a new primary learns only with its first commit which of its writes were acknowledged.
   * @throws {Unavailable} when they do not agree in time
   */
  async function settled(sourceAppId: string): Promise<Seen | undefined> {
    const begun = clock.monotonic();
    for (;;) {
      const [local, majority] = await Promise.all([look(sourceAppId, 'local'), look(sourceAppId, 'majority')]);
      // An app's end is committed before its document is removed, so for that the one read is enough.
      if (!local || isSame(local, majority)) return local;
      if (clock.monotonic() - begun >= SETTLES_WITHIN_MS) throw new Unavailable();
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async function look(sourceAppId: string, readConcern: ReadConcern): Promise<Seen | undefined> {
    const app = await source.findApp(sourceAppId, readConcern);
    const stored = app && (await source.newestSchema(app, readConcern));
    return app && stored && { app, stored };
  }

  const isYoung = ({ begun }: Read, now = momentOf(clock)): boolean => isWithin(LEASE_MS, begun, now);

  const isUnchanged = ({ begun, revision }: Read): boolean =>
    revision !== undefined && isWithin(MAX_AGE_MS, begun, momentOf(clock)) && revisionReads.confirms(revision);

  /** Whether one who asks at `asked` may be given what a read finds, or found. Reads the stamp when that is needed to tell. */
  async function serves(read: Read, asked: Moment): Promise<boolean> {
    if (isYoung(read, asked)) return true;
    if (!read.isDone || read.revision === undefined || !isWithin(MAX_AGE_MS, read.begun, asked)) return false;
    return (await revisionReads.asOf(asked)) === read.revision;
  }

  /** A version never changes, so it and its compiled form are kept as long as it is the newest. */
  function compile(app: App, { id, schema }: StoredSchema): Compiled {
    const appId = app.id.toHexString();
    const schemaId = id.toHexString();
    const kept = compiled.get(appId);
    if (kept?.schemaId === schemaId) return kept;
    const made = { schemaId, schema, validator: compileSchema(schema) };
    compiled.set(appId, made);
    return made;
  }

  return {
    /**
     * The app and its newest schema, or undefined when there is no such app. What is returned was true within the last 100 ms, or read by a read
     * that began after this call (a slow database must not keep callers waiting for ever).
     */
    async hold(sourceAppId: string): Promise<Lease | undefined> {
      const asked = momentOf(clock);
      for (;;) {
        const kept = reads.get(sourceAppId);
        if (kept && !(await serves(kept, asked))) {
          drop(sourceAppId, kept); // and look again: another may have begun a read meanwhile
          continue;
        }
        const read = kept ?? begin(sourceAppId);
        const lease = await read.result;
        // That an app does not exist is never taken from an earlier read: it may have been created since.
        const isFresh = read.begun.monotonic >= asked.monotonic && read.revocations === revocations;
        if (isFresh || lease?.isCurrent()) return lease;
        drop(sourceAppId, read);
      }
    },

    /** Forgets what this server read of an app, so that it sees its own changes at once. */
    forget(sourceAppId: string): void {
      reads.delete(sourceAppId);
    },

    /**
     * Revokes all leases. For a change of primary: the old one may have gone on answering reads for seconds after another was elected, so what was read from it
     * says nothing of what the new one holds.
     */
    revokeAll(): void {
      revocations += 1;
      reads.clear();
      compiled.clear();
      revisionReads.forget();
    },
  };
}

function isSame(one: Seen, other: Seen | undefined): boolean {
  return other !== undefined && one.app.id.equals(other.app.id) && one.stored.id.equals(other.stored.id);
}
