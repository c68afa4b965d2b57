// @module-tag long

import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { DEADLINE_MS } from '../../src/platform/http/deadline.ts';
import { untilDatabaseTime } from '../support/clock/database-time.ts';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { beginChange, untilChange } from '../support/server/changes.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';
import { storePeople } from '../support/server/stored-people.ts';

// A server whose batch of a change is held in the network, and reaches MongoDB when another server
// has taken the change over.

const RECORDS = 400;

/** Runs no jobs, so that it takes nothing over. */
let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let next: TestServer | undefined;
let app: string;

beforeAll(async () => {
  main = await startServer();
  await main.services.jobs.stop();
});
afterAll(() => main.close());
beforeEach(async () => {
  ({ sourceAppId: app } = await main.admin.buildApp({ fields: [{ key: 'n', kind: 'number' }] }));
  await storePeople(main, app, RECORDS, (n) => ({ n }));
  ({ proxy, slow } = await startSlow({}, main.database));
});
afterEach(async () => {
  proxy.restore();
  await next?.close();
  next = undefined;
  await slow.close();
});

const users = () => main.db.collection('users');
const records = () => users().find({ sourceAppId: app }).toArray();

/** Begins a change of which the first batch is held; everything else of that server stalls. */
async function holdBatch(begin: () => Promise<string>) {
  const held = proxy.holdNext('update', 'users');
  const id = await begin();
  const forward = await held;
  proxy.stall();
  return { id, forward };
}

const begin = () => beginChange(main.admin, app, RECORDS, { set: { n: -1 } });

async function takeOver(id: string) {
  next = await startServer({}, main.database);
  return untilChange(main.admin, app, id);
}

it('a late batch changes nothing that the next run has changed, and what came since stays', async () => {
  const { id, forward } = await holdBatch(begin);
  expect(await takeOver(id)).toMatchObject({ state: 'completed', done: RECORDS, changed: RECORDS, refused: 0 });
  await users().updateMany({ sourceAppId: app }, { $set: { 'data.n': 7 } });
  await forward();
  for (const { data, history, revision } of await records()) {
    expect(data.n).toBe(7);
    expect(revision).toBe(1);
    expect(history).toHaveLength(1);
  }
});

it('a late batch changes nothing of what the next run refused, nor after a stop', async () => {
  const { id, forward } = await holdBatch(begin);
  await main.admin.delete(`/auth/changes/${id}?sourceAppId=${app}`).expect(200);
  expect(await takeOver(id)).toMatchObject({ state: 'stopped', changed: 0 });
  await forward();
  expect((await records()).map(({ data }) => data.n).sort((x, y) => x - y)[0]).toBe(0);
});

it('a late batch of an undo restores nothing twice', async () => {
  next = await startServer({}, main.database);
  proxy.stall();
  const id = await begin();
  await untilChange(main.admin, app, id);
  await next.close();
  next = undefined;
  proxy.restore();
  const late = await holdBatch(async () => {
    await main.admin.post(`/auth/changes/${id}/undo?sourceAppId=${app}`).expect(200);
    return id;
  });
  const undone = await takeOver(late.id);
  expect(undone).toMatchObject({ state: 'undone', undo: { done: RECORDS, changed: RECORDS, refused: 0 } });
  await users().updateMany({ sourceAppId: app }, { $set: { 'data.n': -1 } });
  await late.forward();
  for (const { data, revision } of await records()) {
    expect(data.n).toBe(-1);
    expect(revision).toBe(2);
  }
});

it('counts what a batch changed whose results were not stored', async () => {
  const held = proxy.holdNext('findAndModify', 'changes');
  const id = await begin();
  const forwardClaim = await held;
  const commit = proxy.holdNext('findAndModify', 'changes');
  await forwardClaim();
  await Promise.race([commit, untilChange(main.admin, app, id)]);
  proxy.stall();
  expect(await takeOver(id)).toMatchObject({ state: 'completed', done: RECORDS, changed: RECORDS, refused: 0 });
  for (const { revision } of await records()) expect(revision).toBe(1);
});

it('an undo that was stopped and is repeated restores no record twice: a newer change stays', async () => {
  const path = (id: string) => `/auth/changes/${id}`;
  const query = `?sourceAppId=${app}`;
  const id = await begin();
  await untilChange(main.admin, app, id);
  const held = proxy.holdNext('update', 'users');
  await main.admin.post(`${path(id)}/undo${query}`).expect(200);
  const forward = await held;
  await main.admin.delete(`${path(id)}${query}`).expect(200);
  await forward();
  const { state, undo } = await untilChange(main.admin, app, id);
  expect(state).toBe('stopped');
  const restored = undo?.changed ?? 0;
  expect(restored).toBeGreaterThan(0);
  expect(restored).toBeLessThan(RECORDS);
  const newer = await beginChange(main.admin, app, restored, { set: { n: -1 } }, 'data.n:gte:0');
  expect(await untilChange(main.admin, app, newer)).toMatchObject({ changed: restored });
  // The entries of one record are moved.
  const one = await users().findOne({ sourceAppId: app, 'change.id': new ObjectId(newer) });
  for (let m = 0; m < 16; m += 1) {
    await main.admin.patch(`/auth/users/${one?._id}${query}`, { set: { m } }).expect(200);
  }
  await main.admin.post(`${path(id)}/undo${query}`).expect(200);
  const again = await untilChange(main.admin, app, id);
  expect(again).toMatchObject({ state: 'undone', undo: { done: RECORDS, changed: RECORDS, refused: 0 } });
  expect(await users().countDocuments({ sourceAppId: app, 'data.n': -1 })).toBe(restored);
  await main.admin.post(`${path(id)}/undo${query}`).expect(409);
});

it('a change that is stored late does not begin: an operator may have restored the records', async () => {
  const held = proxy.holdNext('into', 'changes');
  const query = new URLSearchParams({ sourceAppId: app, where: 'email:contains:@', confirm: String(RECORDS) });
  const begun = slow.admin.patch(`/auth/users?${query}`, { set: { n: -1 } }).then(({ status }) => status);
  const forward = await held;
  await untilDatabaseTime(main, Date.now() + DEADLINE_MS);
  await forward();
  expect(await begun).toBe(503);
  expect((await main.admin.get(`/auth/changes?sourceAppId=${app}`).expect(200)).body.changes).toEqual([]);
});
