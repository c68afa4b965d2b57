import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const SLOW_MS = 1_000;
const MAX_SLOW = 20;
const FILES = 20;
/** How often this process measures how slow the machine is. */
const SAMPLE_EVERY_MS = 3_000;
/** A computation, and the time that it takes on an idle processor of 3.8 GHz. */
const STEPS = 20_000_000;
const STEPS_MS = 21;

/** When the machine was how many times slower than an idle one. */
interface Sample {
  at: number;
  factor: number;
}

/**
 * Prints the tests over one second without the tag `long`, and the files that took longest, hooks
 * included. More than 20 such tests fail the run: `npm test` stays short. The second of a test is
 * multiplied by how slow the machine was while it ran: other work delays the tests beside it.
 */
export default class SlowTests implements Reporter {
  readonly #samples: Sample[] = [];
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#samples.push(sample()), SAMPLE_EVERY_MS);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    clearInterval(this.#timer);
    const files = modules.map((module) => ({ name: pathOf(module), ms: module.diagnostic().duration }));
    print(`Slowest files, of ${files.length} with ${seconds(sum(files)).trim()}`, longestFirst(files).slice(0, FILES));
    const tests = modules.flatMap((module) => [...module.children.allTests()].filter(isUntagged).map(timeOf));
    const slow = longestFirst(tests.filter(({ ms, from }) => ms > SLOW_MS * slowness(this.#samples, from, from + ms)));
    if (slow.length === 0) return;
    const limit = seconds(SLOW_MS * slowness(this.#samples, 0, Number.POSITIVE_INFINITY)).trim();
    print(`Tests over some ${limit} without the tag "long", at most ${MAX_SLOW}: ${slow.length}`, slow);
    if (slow.length > MAX_SLOW) process.exitCode = 1;
  }
}

function sample(): Sample {
  const begun = performance.now();
  let value = 1;
  for (let step = 0; step < STEPS; step += 1) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
  // The engine may leave out a loop whose result nobody uses.
  const ms = performance.now() - begun + (value === 1 ? 1 : 0);
  return { at: Date.now(), factor: ms / STEPS_MS };
}

/** How many times slower the machine was from one time to another, at least 1. */
function slowness(samples: readonly Sample[], from: number, to: number): number {
  const near = samples.filter(({ at }) => at >= from - SAMPLE_EVERY_MS && at <= to + SAMPLE_EVERY_MS);
  return Math.max(1, near.reduce((total, { factor }) => total + factor, 0) / near.length || 1);
}

interface Timed {
  name: string;
  ms: number;
}

const pathOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);
const isUntagged = ({ tags }: TestCase): boolean => !tags.includes('long');
const timeOf = (test: TestCase): Timed & { from: number } => ({
  name: `${pathOf(test.module)}: ${test.fullName}`,
  ms: test.diagnostic()?.duration ?? 0,
  from: test.diagnostic()?.startTime ?? 0,
});
const sum = (timed: readonly Timed[]): number => timed.reduce((total, { ms }) => total + ms, 0);
const longestFirst = <One extends Timed>(timed: readonly One[]): One[] =>
  [...timed].sort((one, other) => other.ms - one.ms);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1).padStart(7)} s`;

function print(title: string, rows: readonly Timed[]): void {
  process.stdout.write(`\n${title}:\n${rows.map(({ name, ms }) => `${seconds(ms)}  ${name}`).join('\n')}\n`);
}
