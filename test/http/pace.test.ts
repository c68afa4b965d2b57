// @module-tag long

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAppParts } from '../../src/core/apps/app-part.ts';
import { createAppModel } from '../../src/core/apps/apps.model.ts';
import { activityPart, createPace } from '../../src/features/activity/activity.ts';
import { type Connection, connectDatabase } from '../../src/platform/database/client.ts';
import { databaseUri } from '../support/server/process.ts';
import { startServer, type TestServer } from '../support/server/server.ts';

const PARTS = createAppParts([activityPart]);
const POLL = { timeout: 30_000, interval: 50 };

let server: TestServer;
let connection: Connection;
beforeAll(async () => {
  server = await startServer();
  connection = await connectDatabase(databaseUri(server.database));
});
afterAll(async () => {
  await connection.close();
  await server.close();
});

it('a server knows that submissions arrive on another one, and when they have ended', async () => {
  const own = { latest: () => Number.NEGATIVE_INFINITY };
  const { isBusy } = createPace(createAppModel(connection, PARTS), own);
  expect(await isBusy()).toBe(false);
  const { sourceAppId } = await server.admin.buildApp();
  await server.client.submit(sourceAppId, { email: 'ada@x.org' }).expect(200);
  await expect.poll(isBusy, POLL).toBe(true);
  await expect.poll(isBusy, POLL).toBe(false);
});

it('a server is busy at once by its own submissions, and when the database does not answer in time', async () => {
  const apps = createAppModel(connection, PARTS);
  expect(await createPace(apps, { latest: () => performance.now() }).isBusy()).toBe(true);
  const closed = await connectDatabase(databaseUri(server.database));
  const { isBusy } = createPace(createAppModel(closed, PARTS), { latest: () => Number.NEGATIVE_INFINITY });
  await closed.close();
  expect(await isBusy()).toBe(true);
});

it('background work rests while submissions arrive, until its signal, and else for a turn only', async () => {
  const apps = createAppModel(connection, PARTS);
  const longAgo = performance.now() - 600_000;
  const stop = new AbortController();
  let isOver = false;
  const busy = createPace(apps, { latest: () => performance.now() });
  const resting = busy.throttle(longAgo, stop.signal).then(() => {
    isOver = true;
  });
  await setTimeout(200);
  expect(isOver).toBe(false);
  stop.abort();
  await resting;
  await expect.poll(createPace(apps, { latest: () => Number.NEGATIVE_INFINITY }).isBusy, POLL).toBe(false);
  await createPace(apps, { latest: () => Number.NEGATIVE_INFINITY }).throttle(longAgo);
});
