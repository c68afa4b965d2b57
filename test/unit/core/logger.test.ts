import { afterEach, describe, expect, it } from 'vitest';
import { createLineOutput } from '../../../src/platform/core/logger.ts';
import { FullPipe } from '../../support/peers/full-pipe.ts';

const pipes: FullPipe[] = [];
afterEach(() => {
  for (const pipe of pipes.splice(0)) pipe.close();
});

const line = (number: number, length = 200): string => `${String(number).padEnd(length - 1, '.')}\n`;

describe('the log', () => {
  it('keeps lines while its reader reads nothing, at most 1 MB, and goes on when it reads', {
    tags: 'long',
  }, async () => {
    const pipe = new FullPipe();
    pipes.push(pipe);
    const output = createLineOutput(pipe.nonBlocking, { minBytes: 2_048, maxBytes: 4_096 });
    for (let number = 0; number < 10_000; number += 1) output.write(line(number));
    let text = '';
    const received = () => {
      text += pipe.read();
      return text.split('\n').filter((one) => one !== '');
    };
    const kept = 1_048_576 / 200;
    await expect.poll(() => received().length, { interval: 5 }).toBeGreaterThan(kept);
    output.write(line(10_000));
    await expect.poll(() => received().at(-1), { interval: 5 }).toContain('10000');
    const numbers = received().map((one) => Number.parseInt(one, 10));
    expect(numbers.length).toBeLessThan(kept + 100);
    expect(numbers.slice(0, -1)).toEqual(Array.from({ length: numbers.length - 1 }, (_, number) => number));
  });

  it('writes whole lines, in pieces that a pipe keeps together', { tags: 'long' }, async () => {
    const pipe = new FullPipe();
    pipes.push(pipe);
    pipe.read();
    const outputs = [1, 2].map(() => createLineOutput(pipe.nonBlocking, { minBytes: 2_048, maxBytes: 4_096 }));
    const numbers = Array.from({ length: 2_000 }, (_, number) => number);
    for (const number of numbers) for (const output of outputs) output.write(line(number, 60 + (number % 90)));
    let text = '';
    const received = () => {
      text += pipe.read();
      return text.split('\n').filter((one) => one !== '');
    };
    await expect.poll(() => received().length, { interval: 5 }).toBe(4_000);
    const lengths = received().map((one) => one.length);
    expect(lengths.toSorted()).toEqual(numbers.flatMap((number) => [0, 0].map(() => 59 + (number % 90))).toSorted());
  });
});
