import { LRUCache } from 'lru-cache';
import { LEASE_MS } from '../apps/app-lease.ts';
import type { App } from '../apps/apps.service.ts';
import { compileSchema, type Validator } from '../fields/compile.ts';
import type { AppSchema } from './schema-store.ts';

/** How many apps' compiled schemas are kept; the least used go first. */
const MAX_APPS = 5_000;

/** An app and its newest schema, as read at one moment. */
export interface Lease {
  app: App;
  schema: AppSchema;
  validator: Validator;
  /** Whether what was read may still be relied on. */
  isCurrent(): boolean;
  /** Whether it was read from a primary that is none any more, and so may have been out of date when it was read. */
  isRevoked(): boolean;
}

interface Read {
  /** When the read began, on this process's monotonic clock. */
  begun: number;
  /** How many revocations there had been then. */
  revocations: number;
  result: Promise<Lease | undefined>;
}

export type SchemaLeases = ReturnType<typeof createSchemaLeases>;

/**
 * Hands out leases: the newest schema of an app, used for up to 100 ms after the read of it began (DESIGN section 3, invariants 4 and 5, and section 5,
 * point 2). All that ask for one app meanwhile share one read.
 */
export function createSchemaLeases(source: {
  findApp(sourceAppId: string): Promise<App | undefined>;
  newestSchema(app: App): Promise<AppSchema | undefined>;
}) {
  const reads = new LRUCache<string, Read>({ max: MAX_APPS });
  let revocations = 0;
  const compiled = new LRUCache<string, Pick<Lease, 'schema' | 'validator'>>({ max: MAX_APPS });

  function begin(sourceAppId: string): Read {
    const begun = performance.now();
    const read = { begun, revocations, result: load(sourceAppId, begun) };
    reads.set(sourceAppId, read);
    // A failed read is nobody's lease: the next one that asks reads again.
    read.result.catch(() => {
      if (reads.peek(sourceAppId) === read) reads.delete(sourceAppId);
    });
    return read;
  }

  async function load(sourceAppId: string, begun: number): Promise<Lease | undefined> {
    const before = revocations;
    const app = await source.findApp(sourceAppId);
    const schema = app && (await source.newestSchema(app));
    if (!app || !schema) return undefined;
    const isRevoked = (): boolean => revocations !== before;
    const isCurrent = (): boolean => !isRevoked() && performance.now() - begun < LEASE_MS;
    return { app, ...compile(app, schema), isCurrent, isRevoked };
  }

  /** A version never changes, so it and its compiled form are kept as long as it is the newest. */
  function compile(app: App, schema: AppSchema): Pick<Lease, 'schema' | 'validator'> {
    const id = app.id.toHexString();
    const kept = compiled.get(id);
    if (kept?.schema.version === schema.version) return kept;
    const made = { schema, validator: compileSchema(schema) };
    compiled.set(id, made);
    return made;
  }

  return {
    /**
     * The app and its newest schema, or undefined when there is no such app. What is returned was read within the last 100 ms, or by a read
     * that began after this call (a slow database must not keep callers waiting for ever).
     */
    async hold(sourceAppId: string): Promise<Lease | undefined> {
      const asked = performance.now();
      for (;;) {
        const kept = reads.get(sourceAppId);
        const read = kept && asked - kept.begun < LEASE_MS ? kept : begin(sourceAppId);
        const lease = await read.result;
        // That an app does not exist is never taken from an earlier read: it may have been created since.
        const isFresh = read.begun >= asked && read.revocations === revocations;
        if (isFresh || lease?.isCurrent()) return lease;
        if (reads.peek(sourceAppId) === read) reads.delete(sourceAppId);
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
    },
  };
}
