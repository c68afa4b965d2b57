import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { createClosedConnection } from '../../../src/platform/database/client.ts';
import { createDatabaseClock } from '../../../src/platform/database/clock.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** A clock of a database that is an hour behind, with the work that its answer takes. */
function createClock(onAnswer: () => void = () => undefined, now = Date.now, databaseNow = () => Date.now() - HOUR_MS) {
  const connection = createClosedConnection();
  const command = async () => {
    const localTime = new Date(databaseNow());
    onAnswer();
    return { localTime };
  };
  const client = { db: () => ({ command }) };
  const behind = { ...connection, getClient: () => client } as unknown as typeof connection;
  return createDatabaseClock({ connection: behind, logger: createLogger({ logLevel: 'silent' }), now });
}

it('the deadline of writes is a time of the database, however much the clocks differ', async () => {
  const expected = Date.now() - HOUR_MS + 1_000;
  const until = await createClock().until(() => 1_000)();
  expect(until.getTime() - expected).toBeGreaterThanOrEqual(0);
  expect(until.getTime() - expected).toBeLessThan(HOUR_MS / 2);
});

it('the deadline of writes is refused after a stall between its two times', async () => {
  let left = 1_000;
  const clock = createClock(() => {
    left = 0;
  });
  await expect(clock.until(() => left)()).rejects.toMatchObject({ status: 503 });
});

it('the deadline of writes is refused after the machine was suspended', async () => {
  let aheadMs = 0;
  const clock = createClock(undefined, () => Date.now() + aheadMs);
  const until = clock.within(HOUR_MS);
  await until();
  aheadMs = HOUR_MS;
  await expect(until()).rejects.toMatchObject({ status: 503 });
});

describe('the clock of a server that is set by an hour', () => {
  /** Resolves with a clock that was compared while both agreed, and how far each is off since. */
  async function createAgreeing() {
    const off = { server: 0, database: 0 };
    const clock = createClock(
      undefined,
      () => Date.now() + off.server,
      () => Date.now() + off.database,
    );
    await clock.start();
    onTestFinished(clock.stop);
    return { clock, off };
  }
  /** The difference to the time of this machine, in hours. */
  const hours = (time: number | Date): number => Math.round((Number(time) - Date.now()) / HOUR_MS) || 0;

  it.each([1, -1])('keeps the time of the database, and is not trusted (%i)', async (by) => {
    const { clock, off } = await createAgreeing();
    off.server = by * HOUR_MS;
    expect(hours(clock.now())).toBe(0);
    expect([clock.earlier(), clock.later()].map(hours)).toEqual([0, by].sort());
    expect(clock.isTrusted()).toBe(false);
    expect(Math.round(clock.aheadMs() / HOUR_MS)).toBe(by);
    off.server = 0;
    expect(clock.isTrusted()).toBe(true);
  });

  it('is compared again: the database may have the same clock', { tags: 'long' }, async () => {
    const { clock, off } = await createAgreeing();
    Object.assign(off, { server: -HOUR_MS, database: -HOUR_MS });
    await expect.poll(() => hours(clock.now()), { timeout: 30_000 }).toBe(-1);
    expect(clock.isTrusted()).toBe(true);
  });

  it('does not spoil a comparison in progress', async () => {
    const off = { server: 0 };
    const clock = createClock(
      () => {
        off.server = HOUR_MS;
      },
      () => Date.now() + off.server,
      Date.now,
    );
    await clock.read();
    expect(hours(clock.now())).toBe(0);
  });
});
