import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/apps/app-lease.ts';
import type { App } from '../../../src/apps/apps.service.ts';
import { createSchemaLeases } from '../../../src/schemas/schema-lease.ts';
import type { AppSchema } from '../../../src/schemas/schema-store.ts';

/** A database of one app, whose answers the test decides on. */
function createSource() {
  const id = new Types.ObjectId();
  /** Which version was the newest when the app was read. */
  const seen = new WeakMap<App, number>();
  const source = {
    reads: 0,
    version: 1,
    exists: true,
    /** Each read waits for it after it has seen the database. */
    slowness: Promise.resolve() as Promise<unknown>,
    failure: undefined as Error | undefined,

    async findApp(sourceAppId: string): Promise<App | undefined> {
      source.reads += 1;
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
    async newestSchema(app: App): Promise<AppSchema> {
      return { version: seen.get(app) ?? 0, rejectUnknown: false, fields: [] };
    },
  };
  return source;
}

const leaseOver = (): Promise<void> => sleep(LEASE_MS + 5);

describe('leases (DESIGN section 5, point 2)', () => {
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
    source.version = 2;
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
});
