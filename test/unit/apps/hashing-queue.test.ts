import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { HashingQueue, type Waiter } from '../../../src/apps/hashing-queue.ts';
import { Unavailable } from '../../../src/core/errors.ts';

const PATIENT_MS = 60_000;

let queue: HashingQueue;
/** What runs now, by name, and the way to end it. */
let running: Map<string, () => void>;
let started: string[];
beforeEach(() => {
  queue = new HashingQueue();
  running = new Map();
  started = [];
});

const known = (network = 'known', leftMs = () => PATIENT_MS): Waiter => ({ network, known: true, leftMs });
const unknown = (network = 'unknown', leftMs = () => PATIENT_MS): Waiter => ({ network, known: false, leftMs });

/** Queues a run that lasts until `end`; resolves with its name, or with `refused`. */
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

async function end(name: string): Promise<void> {
  running.get(name)?.();
  await sleep(0);
}

/** Makes `ms` the measured duration of a run. */
async function measure(ms: number): Promise<void> {
  await queue.run(() => sleep(ms));
}

/** Adds until one is refused; returns how many were taken. */
async function fill(waiter: (index: number) => Waiter, most = 500): Promise<number> {
  for (let taken = 0; taken < most; taken += 1) {
    const result = await Promise.race([add(`filling ${taken}`, waiter(taken)), sleep(0)]);
    if (result === 'refused') return taken;
  }
  return most;
}

describe('the order', () => {
  it('is two at once: first those of administrators, then known, then unknown networks', async () => {
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

  it('gives unknown networks one place only, so that a known one starts at once', async () => {
    for (const name of ['a', 'b', 'c']) void add(name, unknown(name));
    expect(started).toEqual(['a']);
    void add('known', known());
    expect(started).toEqual(['a', 'known']);
    await end('a');
    expect(started).toEqual(['a', 'known', 'b']);
    await end('known');
    expect(started).toEqual(['a', 'known', 'b']);
  });

  it('goes on after a run that fails', async () => {
    const failing = Array.from({ length: 4 }, () => queue.run(() => Promise.reject(new Error('of bcrypt')), known()));
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
    void add('next', unknown());
    expect(started).toEqual(['next']);
  });
});

describe('the length', () => {
  it('follows the measured duration and the time that is left', async () => {
    const length = async (runMs: number, leftMs: number) => {
      queue = new HashingQueue();
      await measure(runMs);
      return fill((index) => known(`network ${index}`, () => leftMs));
    };
    const [short, long] = [await length(40, 2_500), await length(200, 2_500)];
    // Two at once in 2.2 s: 110 of 40 ms and 22 of 200 ms. A busy machine measures longer runs.
    expect(short).toBeGreaterThan(20);
    expect(short).toBeLessThanOrEqual(110);
    expect(long).toBeGreaterThan(4);
    expect(long).toBeLessThanOrEqual(22);
    expect(short).toBeGreaterThan(2 * long);
    expect(await length(200, 1_000)).toBeLessThan(long);
  });

  it('adapts when runs take longer', async () => {
    await measure(5);
    for (let run = 0; run < 10; run += 1) await measure(100);
    expect(await fill((index) => known(`network ${index}`, () => 1_300))).toBeLessThanOrEqual(24);
  });

  it('of unknown networks takes no room from known ones', async () => {
    await measure(100);
    await fill((index) => unknown(`network ${index}`, () => 1_500));
    expect(await fill((index) => known(`network ${index}`, () => 1_500))).toBeGreaterThan(2);
  });

  it('is shared: one network leaves room for the next one, known or not', async () => {
    for (const make of [known, unknown]) {
      queue = new HashingQueue();
      await measure(100);
      const taken = await fill(() => make('flood', () => 2_000));
      expect(taken).toBeGreaterThan(1);
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

  it('does not limit what administrators ask for', async () => {
    await measure(100);
    const results = Array.from({ length: 300 }, (_, index) => add(`administrator ${index}`));
    for (let index = 0; index < 300; index += 1) await end(`administrator ${index}`);
    expect(await Promise.all(results)).not.toContain('refused');
  });
});

describe('a request that is over', () => {
  it('is not hashed', async () => {
    let leftMs = PATIENT_MS;
    void add('a', known());
    void add('b', known());
    const over = add(
      'over',
      known('gone', () => leftMs),
    );
    leftMs = 0;
    await end('a');
    expect(await over).toBe('refused');
    expect(started).toEqual(['a', 'b']);
  });

  it('is not hashed either when too little time is left for one run', async () => {
    await measure(200);
    let leftMs = PATIENT_MS;
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

  it('gives its room to others', async () => {
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

it('one stalled run does not refuse log-ins for good', async () => {
  await measure(400);
  const short = () => known('known', () => 350);
  for (let run = 0; run < 20; run += 1) await queue.run(() => sleep(1), short());
  expect(await Promise.all([1, 2, 3, 4].map((name) => queue.run(async () => name, short())))).toEqual([1, 2, 3, 4]);
});
