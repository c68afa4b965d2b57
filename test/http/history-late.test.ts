// @module-tag long

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TcpProxy } from '../support/peers/proxy.ts';
import { startServer, type TestServer } from '../support/server/server.ts';
import { startSlow } from '../support/server/slow-server.ts';

// A server whose move of entries is held in the network, and goes on when another server has moved
// them, or when the record was erased.

let main: TestServer;
let proxy: TcpProxy;
let slow: TestServer;
let path: string;
let sourceAppId: string;

beforeAll(async () => {
  main = await startServer();
  ({ proxy, slow } = await startSlow({}, main.database));
  await slow.admin.get('/auth/apps').expect(200);
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await slow.close();
  await main.close();
});

/** The next edit of the record has to move its 16 entries. */
beforeEach(async () => {
  ({ sourceAppId } = await main.admin.buildApp());
  const { body } = await main.client
    .submit(sourceAppId, { email: 'ada@x.org', data: { name: 'Lovelace' } })
    .expect(200);
  path = `/auth/users/${body.id}`;
  for (let n = 1; n <= 16; n += 1) await edit(n);
});

const query = () => `?sourceAppId=${sourceAppId}`;
const edit = (n: number, server = main) =>
  server.admin.patch(`${path}${query()}`, { set: { name: `Lovelace ${n}` } }).expect(200);
const users = () => main.db.collection('users');
async function stored() {
  const record = await users().findOne({ sourceAppId });
  if (!record) throw new Error('the record is gone');
  return record;
}
const documents = (appId: unknown) => main.db.collection('history').countDocuments({ appId: appId as never });

async function revisions(): Promise<number[]> {
  const found: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await main.admin.get(`${path}/history${query()}${cursor}`).expect(200);
    found.push(...body.entries.map(({ revision }: { revision: number }) => revision));
    if (!body.next) return found;
    cursor = `&cursor=${body.next}`;
  }
}

const all = (count: number) => Array.from({ length: count }, (_, at) => count - at);

/** Ends the time of the move in progress, as MongoDB's clock does after 8 s. */
const endMove = () => users().updateOne({ sourceAppId }, { $set: { 'historyMove.until': new Date(0) } });

/** Begins an edit whose move stops at this command; resolves with the function that sends it. */
async function holdMove(command: string, collection: string) {
  const held = proxy.holdNext(command, collection);
  const edited = edit(17, slow).catch(() => undefined);
  const forward = await held;
  return { forward, edited };
}

it('a late insert of a move adds and loses no entry', async () => {
  const { forward, edited } = await holdMove('into', 'history');
  await endMove();
  await edit(18);
  expect(await revisions()).toEqual(all(17));
  await forward();
  await edited;
  for (let n = 19; n <= 40; n += 1) await edit(n);
  const { length } = await revisions();
  expect(await revisions()).toEqual(all(length));
  expect(length).toBeGreaterThanOrEqual(39);
});

it('a late removal of a move removes no entry that it did not move', async () => {
  const { forward, edited } = await holdMove('update', 'users');
  // The entries are in both places, and listed once.
  expect(await revisions()).toEqual(all(16));
  await endMove();
  for (let n = 18; n <= 30; n += 1) await edit(n);
  await forward();
  await edited;
  const found = await revisions();
  expect(found).toEqual(all(found.length));
  expect(found.length).toBeGreaterThanOrEqual(29);
});

it('an erasure waits for a move, and a late one brings nothing back', async () => {
  const { appId } = await stored();
  const { forward, edited } = await holdMove('into', 'history');
  const erased = main.admin.delete(`${path}${query()}`).expect(200);
  const answer = erased.then(() => 'erased');
  expect(
    await Promise.race([
      answer,
      edit(18)
        .then(() => 'edited')
        .catch(() => 'busy'),
    ]),
  ).not.toBe('erased');
  await endMove();
  expect(await answer).toBe('erased');
  await forward();
  await edited;
  expect(await users().findOne({ sourceAppId })).toBeNull();
  expect(await documents(appId)).toBe(0);
});

it('a move that stopped between its two steps is completed by the next one', async () => {
  const { appId, history } = await stored();
  await edit(17);
  // As if the removal had not arrived: all entries are in both places.
  await users().updateOne({ sourceAppId }, { $push: { history: { $each: history, $position: 0 } } as never });
  expect(await revisions()).toEqual(all(17));
  await edit(18);
  expect(await revisions()).toEqual(all(18));
  expect(await documents(appId)).toBe(1);
});
