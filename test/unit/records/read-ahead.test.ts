import { expect, it } from 'vitest';
import { readAhead } from '../../../src/platform/bson/pages.ts';

const PAGE = [new Uint8Array(5)];
const pause = async () => undefined;

it('reads nothing for a client that left before the first page', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    throw new Error('the database is away');
  };
  const pages = readAhead(read, pause, AbortSignal.abort());
  expect(await pages.next()).toEqual({ done: true, value: undefined });
  expect(reads).toBe(0);
});

it('ignores the failure of a page that was read ahead for a client that leaves', async () => {
  const left = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  let reads = 0;
  const read = () => {
    reads += 1;
    if (reads === 1) return Promise.resolve(PAGE);
    return new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
  };
  const pages = readAhead(read, pause, left.signal);
  expect((await pages.next()).value).toEqual(PAGE);
  expect(reads).toBe(2);
  left.abort();
  expect((await pages.next()).done).toBe(true);
  fail(new Error('the database is away'));
});

it('fails as the read of the page that is asked for', async () => {
  const read = async () => {
    throw new Error('the database is away');
  };
  await expect(readAhead(read, pause, undefined).next()).rejects.toThrow('the database is away');
});
