import { expect, it } from 'vitest';
import { createRoom, type Share } from '../../../src/webhooks/deliveries/room.ts';

const { signal: never } = new AbortController();

/** Whether a promise has been settled when all that can happen now has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

it('admits shares up to its size', async () => {
  const room = createRoom(10);
  const first = await room.enter('a', 6, never);
  const second = await room.enter('a', 4, never);
  const third = room.enter('a', 6, never);
  const fourth = room.enter('a', 4, never);
  expect(await isSettled(third)).toBe(false);
  second?.release();
  expect(await isSettled(third)).toBe(false);
  expect(await isSettled(fourth)).toBe(true);
  first?.release();
  expect(await isSettled(third)).toBe(true);
});

it('always admits an owner that has nothing', async () => {
  const room = createRoom(10);
  const shares = await Promise.all(['a', 'b', 'c'].map((owner) => room.enter(owner, 8, never)));
  expect(shares.every((share) => share !== undefined)).toBe(true);
  const second = room.enter('a', 1, never);
  expect(await isSettled(second)).toBe(false);
  shares[0]?.release();
  // `a` has nothing any more.
  expect(await isSettled(second)).toBe(true);
});

it('counts what a share became', async () => {
  const room = createRoom(10);
  const first = (await room.enter('a', 1, never)) as Share;
  first.resize(10);
  const second = room.enter('a', 1, never);
  expect(await isSettled(second)).toBe(false);
  first.resize(9);
  expect(await isSettled(second)).toBe(true);
});

it('admits nobody after a stop, and keeps no room for them', async () => {
  const room = createRoom(10);
  const stopping = new AbortController();
  const first = await room.enter('a', 10, stopping.signal);
  const second = room.enter('a', 10, stopping.signal);
  stopping.abort();
  expect(await second).toBeUndefined();
  expect(await room.enter('b', 1, stopping.signal)).toBeUndefined();
  first?.release();
  expect(await isSettled(room.enter('a', 10, never))).toBe(true);
});
