import { expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { createClosedConnection } from '../../../src/platform/database/client.ts';
import { createDatabaseClock } from '../../../src/platform/database/clock.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** A clock of a database that is an hour behind, with the work that its answer takes. */
function createClock(onAnswer: () => void = () => undefined, now = Date.now) {
  const connection = createClosedConnection();
  const command = async () => {
    const localTime = new Date(Date.now() - HOUR_MS);
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
