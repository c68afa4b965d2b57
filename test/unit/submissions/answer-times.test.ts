import { expect, it } from 'vitest';
import { createAnswerTimes } from '../../../src/features/intake/answer-times.ts';

/** Answer times with a clock of the test, which moves while an answer waits. */
function create() {
  let now = 1_000_000;
  const pass = (ms: number): void => {
    now += ms;
  };
  const times = createAnswerTimes({ now: () => now, wait: async (ms) => pass(ms) });
  return {
    pass,
    /** Resolves with when the answer of a submission leaves that takes so long. */
    async answer(ms: number, outsideMs = 0): Promise<number> {
      const begun = now;
      const time = times.begin();
      if (outsideMs > 0) await time.outside(Promise.resolve(outsideMs).then(pass));
      pass(ms);
      await time.end();
      return now - begun;
    },
    /** Resolves with when the answers of submissions leave that all begin now. */
    async answerAll(all: readonly number[]): Promise<number[]> {
      const begun = now;
      const begin = all.map((ms) => ({ ms, time: times.begin() })).sort((one, other) => one.ms - other.ms);
      const left: number[] = [];
      for (const { ms, time } of begin) {
        now = begun + ms;
        await time.end();
        left.push(now - begun);
      }
      now = begun + Math.max(...left);
      return left;
    },
  };
}

it('leave after 250 ms while every way takes far less', async () => {
  const { answer } = create();
  for (const ms of [0, 1, 20, 62, 40, 0]) expect(await answer(ms)).toBe(250);
});

it('leave after the same time when one way takes four times as long as the other', async () => {
  for (const ms of [10, 50, 70, 100, 150, 220]) {
    const { answer } = create();
    await answer(ms);
    const fast = await answer(ms);
    expect([ms, await answer(3.9 * ms)]).toEqual([ms, fast]);
    expect([ms, fast % 250]).toEqual([ms, 0]);
  }
});

it('of new people follow what those of known people took', async () => {
  const { answer } = create();
  await answer(5);
  expect(await answer(300)).toBe(500);
  expect(await answer(5)).toBe(1_000);
  expect(await answer(300)).toBe(1_000);
});

it('under load few are late, of known people as few as of new ones', async () => {
  const { answerAll, pass } = create();
  const counts = { fresh: 0, known: 0 };
  // New people take 40 to 160 ms, known ones three times as long; as with the spread of a busy
  // server.
  for (let round = 0; round < 36; round += 1) {
    const spread = (at: number) => 40 + ((at * 37 + round * 11) % 121);
    const fresh = await answerAll(Array.from({ length: 10 }, (_, at) => spread(at)));
    const known = await answerAll(Array.from({ length: 10 }, (_, at) => 3 * spread(at)));
    if (round === 0) continue;
    counts.fresh += fresh.filter((ms) => ms !== 1_000).length;
    counts.known += known.filter((ms) => ms !== 1_000).length;
    pass(100);
  }
  expect(counts).toEqual({ fresh: 0, known: 0 });
});

it('are early again one to two minutes after the last slow one', async () => {
  const { answer, pass } = create();
  await answer(300);
  expect(await answer(1)).toBe(1_000);
  pass(59_000);
  expect(await answer(1)).toBe(1_000);
  pass(120_000);
  expect(await answer(1)).toBe(250);
});

it('do not wait for what no step hides, nor for what was outside', async () => {
  const { answer } = create();
  expect(await answer(2_300)).toBe(2_300);
  expect(await answer(1)).toBe(250);
  expect(await answer(10, 900)).toBe(1_150);
  expect(await answer(1)).toBe(250);
  await answer(900);
  expect(await answer(1_100)).toBe(2_000);
  expect(await answer(1_999)).toBe(2_000);
});
