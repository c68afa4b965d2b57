import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const SLOW_MS = 1_000;
const MAX_SLOW = 20;
const FILES = 20;
/** How often, and with how much time on the processor, this process measures its delay. */
const SAMPLE_EVERY_MS = 5_000;
const SAMPLE_MS = 30;

/**
 * Prints the tests over one second without the tag `long`, and the files that took longest, hooks
 * included. More than 20 such tests fail the run: `npm test` stays short. The second is multiplied
 * by the delay of this process, because a busy machine delays the tests as much.
 */
export default class SlowTests implements Reporter {
  readonly #delays: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#delays.push(delay()), SAMPLE_EVERY_MS);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    clearInterval(this.#timer);
    const busy = Math.max(1, this.#delays.reduce((total, one) => total + one, 0) / this.#delays.length || 1);
    const files = modules.map((module) => ({ name: pathOf(module), ms: module.diagnostic().duration }));
    print(`Slowest files, of ${files.length} with ${seconds(sum(files)).trim()}`, longestFirst(files).slice(0, FILES));
    const tests = modules.flatMap((module) => [...module.children.allTests()].filter(isUntagged).map(timeOf));
    const slow = longestFirst(tests.filter(({ ms }) => ms > SLOW_MS * busy));
    if (slow.length === 0) return;
    const limit = seconds(SLOW_MS * busy).trim();
    print(`Tests over ${limit} without the tag "long", at most ${MAX_SLOW}: ${slow.length}`, slow);
    if (slow.length > MAX_SLOW) process.exitCode = 1;
  }
}

/** The duration of a computation, divided by its time on the processor. */
function delay(): number {
  const [from, fromUsed] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(fromUsed);
    if (user + system >= SAMPLE_MS * 1_000) return ((performance.now() - from) * 1_000) / (user + system);
  }
}

interface Timed {
  name: string;
  ms: number;
}

const pathOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);
const isUntagged = ({ tags }: TestCase): boolean => !tags.includes('long');
const timeOf = (test: TestCase): Timed => ({
  name: `${pathOf(test.module)}: ${test.fullName}`,
  ms: test.diagnostic()?.duration ?? 0,
});
const sum = (timed: readonly Timed[]): number => timed.reduce((total, { ms }) => total + ms, 0);
const longestFirst = (timed: readonly Timed[]): Timed[] => [...timed].sort((one, other) => other.ms - one.ms);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1).padStart(7)} s`;

function print(title: string, rows: readonly Timed[]): void {
  process.stdout.write(`\n${title}:\n${rows.map(({ name, ms }) => `${seconds(ms)}  ${name}`).join('\n')}\n`);
}
