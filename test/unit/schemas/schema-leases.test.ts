import { createHash } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/core/apps/app.ts';
import { type AppPart, createAppParts } from '../../../src/core/apps/app-part.ts';
import { LEASE_MS } from '../../../src/core/apps/revision.ts';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { createSchemaLeases } from '../../../src/core/schemas/schema-leases.ts';
import { createSchemaParts } from '../../../src/core/schemas/schema-part.ts';
import type { StoredSchema } from '../../../src/core/schemas/schemas.model.ts';
import { Unavailable } from '../../../src/platform/core/errors.ts';

const NO_PARTS = { apps: createAppParts([]), schemas: createSchemaParts() };

/** Derives an id from a text; equal texts give equal ids. */
function objectIdOf(text: string): ObjectId {
  return new ObjectId(createHash('sha256').update(text).digest('hex').slice(0, 24));
}

/** A fake database with one app; the test sets what it returns, and when. */
function createSource() {
  const id = new ObjectId();
  /** The newest version at the time when the app was read. */
  const versionsRead = new WeakMap<App, number>();
  const source = {
    reads: 0,
    revisionReads: 0,
    revision: 'first',
    version: 1,
    exists: true,
    fields: [] as FieldDefinition[],
    /** Each read of the app waits for this promise after it has taken its snapshot. */
    readDelay: Promise.resolve() as Promise<unknown>,
    /** The same for each read of the revision. */
    revisionDelay: Promise.resolve() as Promise<unknown>,
    failure: undefined as Error | undefined,

    async findApp(sourceAppId: string, readConcern: string): Promise<App | undefined> {
      if (readConcern === 'local') source.reads += 1;
      const { exists, failure, version } = source;
      await source.readDelay;
      if (failure) throw failure;
      if (!exists || !sourceAppId.startsWith('app')) return undefined;
      const app: App = {
        id,
        sourceAppId,
        role: 'user',
        credentialId: 'c',
        createdAt: new Date(0),
      };
      versionsRead.set(app, version);
      return app;
    },
    async readRevision(): Promise<string> {
      source.revisionReads += 1;
      const { revision, revisionDelay, failure } = source;
      await revisionDelay;
      if (failure) throw failure;
      return revision;
    },
    /** Like a PUT: commits a new version, then bumps the revision. */
    change(): void {
      source.version += 1;
      source.revision = `of version ${source.version}`;
    },
    /** By default each version has its own document, and both read concerns see the same one. */
    idOf: (version: number, _readConcern: string): string => `document of version ${version}`,
    async newestSchema(app: App, readConcern: string): Promise<StoredSchema> {
      const version = versionsRead.get(app) ?? 0;
      const id = objectIdOf(source.idOf(version, readConcern));
      return { id, schema: { version, rejectUnknown: false, fields: source.fields } };
    },
  };
  return source;
}

let passedMs = 0;
/** A clock that only the test advances. */
const clock = () => ({ monotonic: passedMs, wall: passedMs });

/** Advances the clock, and resolves when what is ready has run. */
async function pass(ms: number): Promise<void> {
  passedMs += ms;
  await nextTurn();
}

/** Lets all leases expire. */
const leaseExpiry = (): Promise<void> => pass(LEASE_MS + 5);

/** A delay of a read that the test ends. */
function delay() {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

describe('schema leases (decision 4)', () => {
  it('are bounded by the number of fields of their schemas', async () => {
    const source = createSource();
    source.fields = Array.from({ length: 100 }, (_, index) => {
      return { key: `f${index}`, label: 'F', kind: 'text', required: false };
    });
    const leases = createSchemaLeases(source, NO_PARTS, () => ({ monotonic: 0, wall: 0 }));
    await leases.hold('app');
    for (let index = 0; index < 900; index += 1) await leases.hold(`app${index}`);
    await leases.hold('app');
    expect(source.reads).toBe(901);
    for (let index = 0; index < 1_000; index += 1) await leases.hold(`app${index}`);
    expect(source.reads).toBe(1_001);
    await leases.hold('app');
    expect(source.reads).toBe(1_002);
  });

  it('share one read among all concurrent callers', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const held = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
    expect(source.reads).toBe(1);
    expect(new Set(held.map((lease) => lease?.schema)).size).toBe(1);
    expect(held[0]).toMatchObject({ app: { sourceAppId: 'app' }, schema: { version: 1 } });
  });

  it('expire, and the newest schema is then read again', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const first = await leases.hold('app');
    source.change();
    await leaseExpiry();
    expect(first?.isCurrent()).toBe(false);
    expect((await leases.hold('app'))?.schema.version).toBe(2);
    expect(source.reads).toBe(2);
  });

  it('keep the compiled schema while its version is the newest', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const first = await leases.hold('app');
    await leaseExpiry();
    const second = await leases.hold('app');
    expect(second?.validator).toBe(first?.validator);
    expect(second?.isCurrent).not.toBe(first?.isCurrent);
  });

  it('from a slow read are not given, once expired, to a caller that joined the read', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const slow = delay();
    source.readDelay = slow.promise;
    const firstCaller = leases.hold('app');
    await pass(10);
    const secondCaller = leases.hold('app');
    source.version = 2;
    source.readDelay = Promise.resolve();
    await pass(LEASE_MS);
    slow.end();
    // The caller that started the read may use it: its data is not older than the call.
    expect(await firstCaller).toBeDefined();
    const lease = await secondCaller;
    expect(lease?.schema.version).toBe(2);
    expect(lease?.isCurrent()).toBe(true);
    expect(source.reads).toBe(2);
  });

  it('from one further read serve all callers that waited longer than a lease for an expired one', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const slow = delay();
    source.readDelay = slow.promise;
    const callers = [leases.hold('app')];
    await pass(10);
    // These join the read. When it ends, they have waited for longer than a lease.
    for (let caller = 0; caller < 20; caller += 1) callers.push(leases.hold('app'));
    const further = delay();
    source.readDelay = further.promise;
    await pass(2 * LEASE_MS);
    slow.end();
    await pass(2 * LEASE_MS);
    further.end();
    for (const lease of await Promise.all(callers)) expect(lease).toBeDefined();
    expect(source.reads).toBe(2);
  });

  it('start another read when the pending one is older than a lease', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const slow = delay();
    source.readDelay = slow.promise;
    const stuck = leases.hold('app');
    await leaseExpiry();
    source.readDelay = Promise.resolve();
    expect(await leases.hold('app')).toBeDefined();
    expect(source.reads).toBe(2);
    slow.end();
    expect(await stuck).toBeDefined();
  });

  it('are not given for an app that does not exist, and an app created since is found at once', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    source.exists = false;
    expect(await leases.hold('app')).toBeUndefined();
    expect(await leases.hold('nobody')).toBeUndefined();
    source.exists = true;
    await pass(1);
    expect(await leases.hold('app')).toBeDefined();
    expect(source.reads).toBe(3);
  });

  it('do not conclude that an app does not exist from a read that started before the call', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    source.exists = false;
    const slow = delay();
    source.readDelay = slow.promise;
    const before = leases.hold('app');
    await pass(5);
    source.exists = true;
    const after = leases.hold('app');
    slow.end();
    expect(await before).toBeUndefined();
    expect(await after).toBeDefined();
  });

  it('are not cached from a failed read', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    source.failure = new Error('the database is away');
    const results = await Promise.allSettled([leases.hold('app'), leases.hold('app')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    source.failure = undefined;
    expect(await leases.hold('app')).toBeDefined();
  });

  it('are read again after forget()', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    await leases.hold('app');
    source.version = 2;
    leases.forget('app');
    expect((await leases.hold('app'))?.schema.version).toBe(2);
  });

  it('recompile another document with the same version, because a rollback can free a version number', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    source.idOf = () => 'rolled back';
    const before = await leases.hold('app');
    source.idOf = () => 'acknowledged';
    leases.forget('app');
    const after = await leases.hold('app');
    expect([before?.schema.version, after?.schema.version]).toEqual([1, 1]);
    expect(after?.validator).not.toBe(before?.validator);
    expect(after?.schemaId).not.toBe(before?.schemaId);
  });

  it('have what parts change in the app because of its schema, once for each read', async () => {
    const source = createSource();
    source.fields = [{ key: 'cv', label: 'CV', kind: 'file', required: false, types: ['pdf'] }];
    let calls = 0;
    const part: AppPart = {
      underSchema(_app, { validator, stored }) {
        calls += 1;
        return { keepsFiles: validator.fileKeys?.has('cv') === true && stored.schema.version === 1 };
      },
    };
    const leases = createSchemaLeases(source, { ...NO_PARTS, apps: createAppParts([part]) }, clock);
    for (let call = 0; call < 3; call += 1) expect((await leases.hold('app'))?.app.keepsFiles).toBe(true);
    expect([calls, source.reads]).toEqual([1, 1]);
  });

  it('drop compiled schemas when revoked', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const before = await leases.hold('app');
    leases.revokeAll();
    expect((await leases.hold('app'))?.validator).not.toBe(before?.validator);
  });

  describe('when the primary and a majority have different documents (decision 4)', () => {
    it('are given once both have the same document', async () => {
      const source = createSource();
      const leases = createSchemaLeases(source, NO_PARTS);
      source.idOf = (_version, readConcern) => readConcern;
      const pending = leases.hold('app');
      await sleep(60);
      source.idOf = () => 'committed';
      expect((await pending)?.schemaId).toBe(objectIdOf('committed').toHexString());
      expect(source.reads).toBeGreaterThan(1);
    });

    it('are given once each part says that both have the same app', async () => {
      const source = createSource();
      let isCommitted = false;
      const parts = createAppParts([{ isSame: () => true }, { isSame: () => isCommitted }]);
      const leases = createSchemaLeases(source, { ...NO_PARTS, apps: parts });
      const pending = leases.hold('app');
      await sleep(60);
      expect(source.reads).toBeGreaterThan(1);
      isCommitted = true;
      expect(await pending).toBeDefined();
    });

    it('are refused as unavailable after one second, and the next call reads again', { tags: 'long' }, async () => {
      const source = createSource();
      const leases = createSchemaLeases(source, NO_PARTS);
      source.idOf = (_version, readConcern) => readConcern;
      await expect(leases.hold('app')).rejects.toThrow(Unavailable);
      source.idOf = () => 'committed';
      expect(await leases.hold('app')).toBeDefined();
    });
  });

  describe('on two clocks (decision 4)', () => {
    /** Clocks that only the test advances. */
    function createClock() {
      const clock = Object.assign(
        (): { monotonic: number; wall: number } => ({ monotonic: clock.mono, wall: clock.time }),
        { mono: 1_000, time: Date.UTC(2026, 0, 1) },
      );
      return clock;
    }
    const MINUTE_MS = 60_000;

    it.each([
      ['by the monotonic clock', LEASE_MS, 0],
      ['by the wall clock, after the machine was suspended', 0, 30 * MINUTE_MS],
      ['because the wall clock was set back', 0, -30 * MINUTE_MS],
    ])('expire %s', async (_, mono, wall) => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, NO_PARTS, clock);
      const lease = await leases.hold('app');
      clock.mono += 10;
      clock.time += 10;
      expect(lease?.isCurrent()).toBe(true);
      source.change();
      clock.mono += mono;
      clock.time += wall;
      expect(lease?.isCurrent()).toBe(false);
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });

    it('are not renewed by a revision that was read before the machine was suspended', async () => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, NO_PARTS, clock);
      const expireLeases = () => {
        clock.mono += LEASE_MS;
        clock.time += LEASE_MS;
      };
      await leases.hold('app');
      expireLeases();
      await leases.hold('app'); // reads the app after a read of the revision
      expireLeases();
      const renewed = await leases.hold('app'); // reads the revision only
      expect([renewed?.isCurrent(), source.reads]).toEqual([true, 2]);
      source.change();
      clock.time += 30 * MINUTE_MS;
      expect(renewed?.isCurrent()).toBe(false);
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });

    it('end after one minute, for changes that did not bump the revision', async () => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, NO_PARTS, clock);
      await leases.hold('app');
      clock.mono += LEASE_MS;
      clock.time += LEASE_MS;
      await leases.hold('app');
      source.version = 2;
      clock.mono += MINUTE_MS - 1;
      clock.time += MINUTE_MS - 1;
      expect((await leases.hold('app'))?.schema.version).toBe(1);
      clock.mono += 1;
      clock.time += 1;
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });
  });

  it('all end on revokeAll(), and a read that is in flight then is repeated', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source, NO_PARTS, clock);
    const held = await leases.hold('app');
    const slow = delay();
    source.readDelay = slow.promise;
    leases.forget('app');
    const pending = leases.hold('app');
    source.readDelay = Promise.resolve();
    source.version = 2;
    leases.revokeAll();
    slow.end();
    expect([held?.isCurrent(), held?.isRevoked()]).toEqual([false, true]);
    const fresh = await pending;
    expect(fresh?.schema.version).toBe(2);
    expect([fresh?.isCurrent(), fresh?.isRevoked()]).toEqual([true, false]);
  });

  describe('with a revision (decision 4)', () => {
    /** Leases that have read both the app and the revision. */
    async function createWarmLeases() {
      const source = createSource();
      const leases = createSchemaLeases(source, NO_PARTS, clock);
      await leases.hold('app');
      await leaseExpiry();
      await leases.hold('app');
      Object.assign(source, { reads: 0, revisionReads: 0 });
      return { source, leases };
    }

    it('are renewed by one read of the revision for all callers', async () => {
      const { source, leases } = await createWarmLeases();
      for (let round = 1; round <= 3; round += 1) {
        await leaseExpiry();
        const held = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
        expect(held.every((lease) => lease?.isCurrent())).toBe(true);
        expect([source.reads, source.revisionReads]).toEqual([0, round]);
      }
    });

    it('end when the revision was bumped: one read of the app serves all callers, and is then renewed', async () => {
      const { source, leases } = await createWarmLeases();
      const held = await leases.hold('app');
      source.change();
      await leaseExpiry();
      expect(held?.isCurrent()).toBe(false);
      const renewed = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
      expect(renewed.map((lease) => lease?.schema.version)).toEqual(Array(50).fill(2));
      expect(held?.isCurrent()).toBe(false);
      expect([source.reads, source.revisionReads]).toEqual([1, 1]);
      await leaseExpiry();
      expect((await leases.hold('app'))?.schema.version).toBe(2);
      expect([source.reads, source.revisionReads]).toEqual([1, 2]);
    });

    it('from a read of the app are not renewed by a revision of a later change', async () => {
      const { source, leases } = await createWarmLeases();
      const slow = delay();
      source.readDelay = slow.promise;
      leases.forget('app');
      const outdated = leases.hold('app'); // has read version 1
      source.change();
      source.readDelay = Promise.resolve();
      slow.end();
      // The call started before the change was answered.
      expect((await outdated)?.schema.version).toBe(1);
      await leaseExpiry();
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });

    it('serve the calls that waited for a slow read of the revision, and no later ones', async () => {
      const { source, leases } = await createWarmLeases();
      await leaseExpiry();
      const slow = delay();
      source.revisionDelay = slow.promise;
      const calls = [leases.hold('app'), leases.hold('app')];
      await pass(LEASE_MS + 30);
      slow.end();
      const [lease, other] = await Promise.all(calls);
      expect(lease).toBeDefined();
      expect(other).toBe(lease);
      // The write that relies on it is followed by another read.
      expect(lease?.isCurrent()).toBe(false);
      expect([source.reads, source.revisionReads]).toEqual([0, 1]);
      await leases.hold('app');
      expect(source.revisionReads).toBe(2);
    });

    it('share one read of the revision among all callers that waited longer than a lease', async () => {
      const { source, leases } = await createWarmLeases();
      const slow = delay();
      source.readDelay = slow.promise;
      source.revisionDelay = slow.promise;
      leases.forget('app');
      const callers = [leases.hold('app')];
      await pass(10);
      for (let caller = 0; caller < 20; caller += 1) callers.push(leases.hold('app'));
      const further = delay();
      source.readDelay = further.promise;
      source.revisionDelay = further.promise;
      await pass(2 * LEASE_MS);
      slow.end();
      await pass(2 * LEASE_MS);
      further.end();
      for (const lease of await Promise.all(callers)) expect(lease).toBeDefined();
      expect(source.reads).toBeLessThanOrEqual(2);
      expect(source.revisionReads).toBeLessThanOrEqual(2);
    });

    it('do not wait for a stuck read of the app while the revision is unchanged', async () => {
      const { source, leases } = await createWarmLeases();
      source.readDelay = new Promise(() => undefined);
      leases.forget('app');
      void leases.hold('app');
      await leaseExpiry();
      source.readDelay = Promise.resolve();
      expect((await leases.hold('app'))?.isCurrent()).toBe(true);
    });

    it('fail while the revision cannot be read, and are given again afterwards', async () => {
      const { source, leases } = await createWarmLeases();
      await leaseExpiry();
      source.failure = new Error('the database is away');
      await expect(leases.hold('app')).rejects.toThrow('away');
      source.failure = undefined;
      expect(await leases.hold('app')).toBeDefined();
    });

    it('are not renewed by a revision that the old primary returned before revokeAll()', async () => {
      const { source, leases } = await createWarmLeases();
      const held = await leases.hold('app');
      await leaseExpiry();
      const slow = delay();
      source.revisionDelay = slow.promise;
      const pending = leases.hold('app'); // reads the revision from the old primary
      leases.revokeAll();
      source.version = 2; // on the new primary; the old one does not have the new revision
      source.revisionDelay = Promise.resolve();
      slow.end();
      expect((await pending)?.schema.version).toBe(2);
      expect(held?.isCurrent()).toBe(false);
    });
  });
});
