import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const COUNT = 20;

/** Prints the files that took longest, hooks included, so that the run of all tests stays short. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const timed = modules.map((module) => ({ path: module.moduleId, ms: module.diagnostic().duration }));
    const sum = timed.reduce((total, { ms }) => total + ms, 0);
    const slowest = timed.sort((one, other) => other.ms - one.ms).slice(0, COUNT);
    const rows = slowest.map(({ path, ms }) => `${shown(ms)}  ${relative(process.cwd(), path)}`);
    process.stdout.write(`\nSlowest files, of ${modules.length} with ${shown(sum).trim()}:\n${rows.join('\n')}\n`);
  }
}

const shown = (ms: number): string => `${(ms / 1_000).toFixed(1).padStart(7)} s`;
