import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { FairQueue, type Turn } from '../../../src/platform/core/fair-queue.ts';

let queue: FairQueue;
let turns: Map<string, Turn>;
let begun: string[];
beforeEach(() => {
  queue = new FairQueue({ slots: 4, perKey: 3 });
  turns = new Map();
  begun = [];
});

/** Joins under the key before the number: `a1` belongs to `a`. */
function join(...names: string[]): void {
  for (const name of names) {
    const turn = queue.join(name.slice(0, 1));
    turns.set(name, turn);
    void turn.begun.then(() => begun.push(name));
  }
}

async function end(...names: string[]): Promise<void> {
  for (const name of names) turns.get(name)?.end();
  await sleep(0);
}

describe('a fair queue', () => {
  it('leaves a slot to others, however many turns of one key wait', async () => {
    join('a1', 'a2', 'a3', 'a4', 'a5');
    expect(['a1', 'a2', 'a3', 'a4'].map((name) => turns.get(name)?.hasBegun)).toEqual([true, true, true, false]);
    expect({ inProgress: queue.inProgress, waiting: queue.waiting, whole: queue.hasWholeShare('a') }).toEqual({
      inProgress: 3,
      waiting: 2,
      whole: true,
    });
    join('b1');
    expect(turns.get('b1')?.hasBegun).toBe(true);
    expect(queue.hasWholeShare('b')).toBe(false);
  });

  it('gives a free slot to the key with the fewest turns, then to the one served least recently', async () => {
    join('a1', 'a2', 'a3', 'b1');
    join('a4', 'a5', 'b2', 'b3', 'c1', 'd1', 'c2', 'd2');
    await end('a1', 'a2', 'a3', 'b1');
    expect(begun.slice(4)).toEqual(['c1', 'd1', 'a4', 'b2']);
    await end('c1');
    expect(begun.at(-1)).toBe('c2');
    await end('d1', 'b2', 'a4');
    expect(begun.slice(-3)).toEqual(['d2', 'b3', 'a5']);
  });

  it('keeps the order of the turns of one key', async () => {
    join('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    await end('a2', 'a1');
    await end('a3');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  });

  it('forgets a turn that leaves before it begins', async () => {
    join('a1', 'a2', 'a3', 'a4', 'a5');
    await end('a4');
    expect(queue.waitingOf('a')).toBe(1);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a5']);
    await end('a2', 'a3', 'a5');
    expect({ inProgress: queue.inProgress, waiting: queue.waiting }).toEqual({ inProgress: 0, waiting: 0 });
  });

  it('counts a turn that is ended twice once', async () => {
    join('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    await end('a1', 'a1', 'a1');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(queue.inProgress).toBe(3);
  });

  it('frees the slot of work that fails', async () => {
    const failing = Array.from({ length: 10 }, () => queue.run('a', () => Promise.reject(new Error('failed'))));
    const results = await Promise.allSettled(failing);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await queue.run('a', async () => 'done')).toBe('done');
    expect({ inProgress: queue.inProgress, waiting: queue.waiting }).toEqual({ inProgress: 0, waiting: 0 });
  });
});
