import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/apps/apps.service.ts';
import { LEASE_MS } from '../../../src/apps/revision.ts';
import { Unavailable } from '../../../src/core/errors.ts';
import { createSchemaLeases } from '../../../src/schemas/schema-leases.ts';
import type { StoredSchema } from '../../../src/schemas/schema-store.ts';

/** The same id for the same text. */
function objectIdOf(text: string): Types.ObjectId {
  return new Types.ObjectId(createHash('sha256').update(text).digest('hex').slice(0, 24));
}

/** A database of one app, whose answers the test decides on. */
function createSource() {
  const id = new Types.ObjectId();
  /** Which version was the newest when the app was read. */
  const seen = new WeakMap<App, number>();
  const source = {
    reads: 0,
    stampReads: 0,
    stamp: 'first',
    version: 1,
    exists: true,
    /** Each read waits for it after it has seen the database. */
    slowness: Promise.resolve() as Promise<unknown>,
    stampSlowness: Promise.resolve() as Promise<unknown>,
    failure: undefined as Error | undefined,

    async findApp(sourceAppId: string, readConcern: string): Promise<App | undefined> {
      if (readConcern === 'local') source.reads += 1;
      const { exists, failure, version } = source;
      await source.slowness;
      if (failure) throw failure;
      if (!exists || sourceAppId !== 'app') return undefined;
      const app: App = {
        id,
        sourceAppId,
        role: 'user',
        credentialId: 'c',
        createdAt: new Date(0),
        lastSubmissionAt: undefined,
      };
      seen.set(app, version);
      return app;
    },
    async readRevision(): Promise<string> {
      source.stampReads += 1;
      const { stamp, stampSlowness, failure } = source;
      await stampSlowness;
      if (failure) throw failure;
      return stamp;
    },
    /** A PUT: commits the new version, and then renews the stamp. */
    change(): void {
      source.version += 1;
      source.stamp = `of version ${source.version}`;
    },
    /** By default each version is a document of its own, and a majority has what the primary has. */
    idOf: (version: number, _readConcern: string): string => `document of version ${version}`,
    async newestSchema(app: App, readConcern: string): Promise<StoredSchema> {
      const version = seen.get(app) ?? 0;
      const id = objectIdOf(source.idOf(version, readConcern));
      return { id, schema: { version, rejectUnknown: false, fields: [] } };
    },
  };
  return source;
}

const leaseOver = (): Promise<void> => sleep(LEASE_MS + 5);

describe('leases (decision 4)', () => {
  it('share one read among all that ask meanwhile', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    const held = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
    expect(source.reads).toBe(1);
    expect(new Set(held.map((lease) => lease?.schema)).size).toBe(1);
    expect(held[0]).toMatchObject({ app: { sourceAppId: 'app' }, schema: { version: 1 } });
  });

  it('run out: after that the newest schema is read again', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    const first = await leases.hold('app');
    source.change();
    await leaseOver();
    expect(first?.isCurrent()).toBe(false);
    expect((await leases.hold('app'))?.schema.version).toBe(2);
    expect(source.reads).toBe(2);
  });

  it('keep the compiled schema while its version is the newest', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    const first = await leases.hold('app');
    await leaseOver();
    const second = await leases.hold('app');
    expect(second?.validator).toBe(first?.validator);
    expect(second?.isCurrent).not.toBe(first?.isCurrent);
  });

  it('of a slow read are never handed to one who asked after it began and got it when it had run out', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    source.slowness = sleep(LEASE_MS + 50);
    const slow = leases.hold('app');
    await sleep(10);
    const later = leases.hold('app');
    source.version = 2;
    source.slowness = Promise.resolve();
    // The one that began the read may have it: nothing older than its own question is in it.
    expect(await slow).toBeDefined();
    const lease = await later;
    expect(lease?.schema.version).toBe(2);
    expect(lease?.isCurrent()).toBe(true);
    expect(source.reads).toBe(2);
  });

  it('begin another read when the last one is older than a lease and still under way', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    let answer: (value?: unknown) => void = () => undefined;
    source.slowness = new Promise((done) => {
      answer = done;
    });
    const stuck = leases.hold('app');
    await leaseOver();
    source.slowness = Promise.resolve();
    expect(await leases.hold('app')).toBeDefined();
    expect(source.reads).toBe(2);
    answer();
    expect(await stuck).toBeDefined();
  });

  it('are never given for an app that is not there, and one created since is seen at once', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    source.exists = false;
    expect(await leases.hold('app')).toBeUndefined();
    expect(await leases.hold('nobody')).toBeUndefined();
    source.exists = true;
    expect(await leases.hold('app')).toBeDefined();
    expect(source.reads).toBe(3);
  });

  it('do not take "no such app" from a read that began before the question', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    source.exists = false;
    source.slowness = sleep(30);
    const before = leases.hold('app');
    await sleep(5);
    source.exists = true;
    const after = leases.hold('app');
    expect(await before).toBeUndefined();
    expect(await after).toBeDefined();
  });

  it('are not kept from a read that failed', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    source.failure = new Error('the database is away');
    const asked = await Promise.allSettled([leases.hold('app'), leases.hold('app')]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    source.failure = undefined;
    expect(await leases.hold('app')).toBeDefined();
  });

  it('are forgotten on demand', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    await leases.hold('app');
    source.version = 2;
    leases.forget('app');
    expect((await leases.hold('app'))?.schema.version).toBe(2);
  });

  it('compile another document of the same version anew: a version number can come again after a rollback', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    source.idOf = () => 'rolled back';
    const before = await leases.hold('app');
    source.idOf = () => 'acknowledged';
    leases.forget('app');
    const after = await leases.hold('app');
    expect([before?.schema.version, after?.schema.version]).toEqual([1, 1]);
    expect(after?.validator).not.toBe(before?.validator);
    expect(after?.schemaId).not.toBe(before?.schemaId);
  });

  it('do not keep compiled schemas over a revocation', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    const before = await leases.hold('app');
    leases.revokeAll();
    expect((await leases.hold('app'))?.validator).not.toBe(before?.validator);
  });

  describe('while the primary and a majority do not agree', () => {
    it('are given when they do', async () => {
      const source = createSource();
      const leases = createSchemaLeases(source);
      source.idOf = (_version, readConcern) => readConcern;
      const asking = leases.hold('app');
      await sleep(60);
      source.idOf = () => 'committed';
      expect((await asking)?.schemaId).toBe(objectIdOf('committed').toHexString());
      expect(source.reads).toBeGreaterThan(1);
    });

    it('are refused as unavailable after a second, and the next one that asks reads again', async () => {
      const source = createSource();
      const leases = createSchemaLeases(source);
      source.idOf = (_version, readConcern) => readConcern;
      await expect(leases.hold('app')).rejects.toThrow(Unavailable);
      source.idOf = () => 'committed';
      expect(await leases.hold('app')).toBeDefined();
    });
  });

  describe('and the clocks', () => {
    /** Clocks that move only when the test says so. */
    function createClock() {
      const clock = { mono: 1_000, time: Date.UTC(2026, 0, 1), monotonic: () => clock.mono, wall: () => clock.time };
      return clock;
    }
    const MINUTE_MS = 60_000;

    it.each([
      ['by the monotonic clock', LEASE_MS, 0],
      ['by the wall clock: the machine was suspended', 0, 30 * MINUTE_MS],
      ['because the wall clock was set back', 0, -30 * MINUTE_MS],
    ])('end %s', async (_, mono, wall) => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, clock);
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

    it('are not renewed by a stamp that was read before the machine was suspended', async () => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, clock);
      const leaseOver = () => {
        clock.mono += LEASE_MS;
        clock.time += LEASE_MS;
      };
      await leases.hold('app');
      leaseOver();
      await leases.hold('app'); // of a read that knows the stamp of before
      leaseOver();
      const renewed = await leases.hold('app'); // by a reading of the stamp
      expect([renewed?.isCurrent(), source.reads]).toEqual([true, 2]);
      source.change();
      clock.time += 30 * MINUTE_MS;
      expect(renewed?.isCurrent()).toBe(false);
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });

    it('are read anew after a minute, for changes that left no stamp', async () => {
      const source = createSource();
      const clock = createClock();
      const leases = createSchemaLeases(source, clock);
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

  it('are revoked all at once: none is current any more, and a read that was on its way then is made anew', async () => {
    const source = createSource();
    const leases = createSchemaLeases(source);
    const held = await leases.hold('app');
    let answer = (): void => undefined;
    source.slowness = new Promise<void>((done) => {
      answer = done;
    });
    leases.forget('app');
    const asking = leases.hold('app');
    source.slowness = Promise.resolve();
    source.version = 2;
    leases.revokeAll();
    answer();
    expect([held?.isCurrent(), held?.isRevoked()]).toEqual([false, true]);
    const fresh = await asking;
    expect(fresh?.schema.version).toBe(2);
    expect([fresh?.isCurrent(), fresh?.isRevoked()]).toEqual([true, false]);
  });

  describe('and the change stamp (docs/decisions/0012)', () => {
    /** Leases that have read both the app and the stamp. */
    async function settled() {
      const source = createSource();
      const leases = createSchemaLeases(source);
      await leases.hold('app');
      await leaseOver();
      await leases.hold('app');
      Object.assign(source, { reads: 0, stampReads: 0 });
      return { source, leases };
    }

    it('are renewed by one read of the stamp for all that ask, however many apps there are', async () => {
      const { source, leases } = await settled();
      for (let round = 1; round <= 3; round += 1) {
        await leaseOver();
        const held = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
        expect(held.every((lease) => lease?.isCurrent())).toBe(true);
        expect([source.reads, source.stampReads]).toEqual([0, round]);
      }
    });

    it('end when it was renewed: the app is read once for all that ask, and then held as before', async () => {
      const { source, leases } = await settled();
      const held = await leases.hold('app');
      source.change();
      await leaseOver();
      expect(held?.isCurrent()).toBe(false);
      const asked = await Promise.all(Array.from({ length: 50 }, () => leases.hold('app')));
      expect(asked.map((lease) => lease?.schema.version)).toEqual(Array(50).fill(2));
      expect(held?.isCurrent()).toBe(false);
      expect([source.reads, source.stampReads]).toEqual([1, 1]);
      await leaseOver();
      expect((await leases.hold('app'))?.schema.version).toBe(2);
      expect([source.reads, source.stampReads]).toEqual([1, 2]);
    });

    it('of a read that was overtaken by a change are not kept by a stamp that was read after it', async () => {
      const { source, leases } = await settled();
      let answer = (): void => undefined;
      source.slowness = new Promise<void>((done) => {
        answer = done;
      });
      leases.forget('app');
      const overtaken = leases.hold('app'); // has seen version 1
      source.change();
      source.slowness = Promise.resolve();
      answer();
      expect((await overtaken)?.schema.version).toBe(1); // began before the change was answered
      await leaseOver();
      expect((await leases.hold('app'))?.schema.version).toBe(2);
    });

    it('are not renewed by a reading of the stamp that is older than a lease when it comes', async () => {
      const { source, leases } = await settled();
      await leaseOver();
      source.stampSlowness = sleep(LEASE_MS + 30);
      const lease = await leases.hold('app');
      expect(lease?.isCurrent()).toBe(true);
      expect([source.reads, source.stampReads]).toEqual([1, 1]);
    });

    it('do not wait for a stuck read of the app because the stamp is unchanged', async () => {
      const { source, leases } = await settled();
      source.slowness = new Promise(() => undefined);
      leases.forget('app');
      void leases.hold('app');
      await leaseOver();
      source.slowness = Promise.resolve();
      expect((await leases.hold('app'))?.isCurrent()).toBe(true);
    });

    it('fail when it cannot be read, and hold again when it can', async () => {
      const { source, leases } = await settled();
      await leaseOver();
      source.failure = new Error('the database is away');
      await expect(leases.hold('app')).rejects.toThrow('away');
      source.failure = undefined;
      expect(await leases.hold('app')).toBeDefined();
    });

    it('are revoked with it: a stamp of an old primary renews nothing', async () => {
      const { source, leases } = await settled();
      const held = await leases.hold('app');
      await leaseOver();
      source.stampSlowness = sleep(20);
      const asking = leases.hold('app'); // reads the stamp from the old primary
      leases.revokeAll();
      source.version = 2; // on the new one, under the same stamp as far as the old one knew
      source.stampSlowness = Promise.resolve();
      expect((await asking)?.schema.version).toBe(2);
      expect(held?.isCurrent()).toBe(false);
    });
  });
});
