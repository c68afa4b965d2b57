import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { Unavailable } from '../../../src/platform/core/errors.ts';
import { HashingQueue, type Waiter } from '../../../src/platform/log-ins/passwords.ts';

const LONG_MS = 60_000;

let queue: HashingQueue;
/** The active runs by name, each with a function that ends it. */
let running: Map<string, () => void>;
let started: string[];
beforeEach(() => {
  queue = new HashingQueue();
  running = new Map();
  started = [];
});

const known = (network = 'known', leftMs = () => LONG_MS): Waiter => ({ network, known: true, leftMs });
const unknown = (network = 'unknown', leftMs = () => LONG_MS): Waiter => ({ network, known: false, leftMs });

/** Queues a run that lasts until `end(name)`; resolves with its name, or with `refused`. */
function add(name: string, waiter?: Waiter): Promise<string> {
  const work = () =>
    new Promise<string>((resolve) => {
      started.push(name);
      running.set(name, () => {
        running.delete(name);
        resolve(name);
      });
    });
  return queue.run(work, waiter).catch((error: unknown) => {
    expect(error).toBeInstanceOf(Unavailable);
    return 'refused';
  });
}

/** Ends an active run and lets the queue start the next one. */
async function end(name: string): Promise<void> {
  running.get(name)?.();
  await sleep(0);
}

/** Runs for `ms`, so that the queue measures that duration. */
async function measure(ms: number): Promise<void> {
  await queue.run(() => sleep(ms));
}

/** Adds runs until one is refused; resolves with the number of accepted runs. */
async function fill(waiter: (index: number) => Waiter, max = 500): Promise<number> {
  for (let accepted = 0; accepted < max; accepted += 1) {
    const result = await Promise.race([add(`filling ${accepted}`, waiter(accepted)), sleep(0)]);
    if (result === 'refused') return accepted;
  }
  return max;
}

describe('the order of the queue', () => {
  it('runs two at once: administrators first, then known networks, then unknown ones', async () => {
    void add('a', known());
    void add('b', known());
    void add('unknown', unknown());
    void add('known', known());
    void add('administrator');
    expect(started).toEqual(['a', 'b']);
    await end('a');
    await end('b');
    expect(started).toEqual(['a', 'b', 'administrator', 'known']);
    await end('known');
    expect(started.at(-1)).toBe('unknown');
  });

  it('gives unknown networks one of the two places, so that a known one starts at once', async () => {
    for (const name of ['a', 'b', 'c']) void add(name, unknown(name));
    expect(started).toEqual(['a']);
    void add('known', known());
    expect(started).toEqual(['a', 'known']);
    await end('a');
    expect(started).toEqual(['a', 'known', 'b']);
    await end('known');
    expect(started).toEqual(['a', 'known', 'b']);
  });

  it('continues after a run that fails', async () => {
    const failing = Array.from({ length: 4 }, () => queue.run(() => Promise.reject(new Error('of bcrypt')), known()));
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    void add('next', unknown());
    expect(started).toEqual(['next']);
  });
});

describe('the length of the queue', () => {
  it('depends on the measured duration of a run and on the remaining time of the request', async () => {
    const length = async (runMs: number, leftMs: number) => {
      queue = new HashingQueue();
      await measure(runMs);
      return fill((index) => known(`network ${index}`, () => leftMs));
    };
    const [short, long] = [await length(40, 2_500), await length(200, 2_500)];
    // Two at once in 2.2 s: 110 runs of 40 ms and 22 of 200 ms. A busy machine measures longer
    // runs.
    expect(short).toBeGreaterThan(20);
    expect(short).toBeLessThanOrEqual(110);
    expect(long).toBeGreaterThan(4);
    expect(long).toBeLessThanOrEqual(22);
    expect(short).toBeGreaterThan(2 * long);
    expect(await length(200, 1_000)).toBeLessThan(long);
  });

  it('decreases when runs take longer', { tags: 'long' }, async () => {
    await measure(5);
    for (let run = 0; run < 10; run += 1) await measure(100);
    expect(await fill((index) => known(`network ${index}`, () => 1_300))).toBeLessThanOrEqual(24);
  });

  it('is limited separately for unknown networks, so that known ones still have room', async () => {
    await measure(100);
    await fill((index) => unknown(`network ${index}`, () => 1_500));
    expect(await fill((index) => known(`network ${index}`, () => 1_500))).toBeGreaterThan(2);
  });

  it('is limited per network, so that others still have room', async () => {
    for (const make of [known, unknown]) {
      queue = new HashingQueue();
      await measure(100);
      const accepted = await fill(() => make('flood', () => 2_000));
      expect(accepted).toBeGreaterThan(1);
      const result = await Promise.race([
        add(
          'other',
          make('other', () => 2_000),
        ),
        sleep(0),
      ]);
      expect(result).not.toBe('refused');
    }
  });

  it('can be asked before a hash is read', async () => {
    await measure(100);
    const waiter = unknown('next', () => 1_500);
    queue.assertCapacity(waiter);
    await fill((index) => unknown(`network ${index}`, () => 1_500));
    expect(() => queue.assertCapacity(waiter)).toThrow(Unavailable);
    queue.assertCapacity(known('known', () => 1_500));
  });

  it('does not limit administrators', async () => {
    await measure(100);
    const results = Array.from({ length: 300 }, (_, index) => add(`administrator ${index}`));
    for (let index = 0; index < 300; index += 1) await end(`administrator ${index}`);
    expect(await Promise.all(results)).not.toContain('refused');
  });
});

describe('a request whose time is over', () => {
  it('is not hashed', async () => {
    let leftMs = LONG_MS;
    void add('a', known());
    void add('b', known());
    const expired = add(
      'over',
      known('gone', () => leftMs),
    );
    leftMs = 0;
    await end('a');
    expect(await expired).toBe('refused');
    expect(started).toEqual(['a', 'b']);
  });

  it('is not hashed when the remaining time is too short for one run', async () => {
    await measure(200);
    let leftMs = LONG_MS;
    void add('a', known());
    void add('b', known());
    const late = add(
      'late',
      known('late', () => leftMs),
    );
    leftMs = 100;
    await end('a');
    expect(await late).toBe('refused');
    expect(started).toEqual(['a', 'b']);
  });

  it('frees its place in the queue', async () => {
    await measure(100);
    let leftMs = 1_500;
    await fill((index) => unknown(`network ${index}`, () => leftMs));
    leftMs = 0;
    const result = await Promise.race([
      add(
        'next',
        unknown('next', () => 1_500),
      ),
      sleep(0),
    ]);
    expect(result).not.toBe('refused');
  });
});

it('accepts log-ins again after one stalled run', async () => {
  await measure(400);
  const short = () => known('known', () => 350);
  for (let run = 0; run < 20; run += 1) await queue.run(() => sleep(1), short());
  expect(await Promise.all([1, 2, 3, 4].map((name) => queue.run(async () => name, short())))).toEqual([1, 2, 3, 4]);
});
