import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/run/longest-first.ts';
import { filesTagged, TAGS } from './test/support/run/tagged.ts';

const setupFiles = ['test/support/run/after-each-file.ts', 'test/support/database/statements-hold.ts'];

const common = {
  pool: 'forks',
  setupFiles,
  // A test may wait for several conditions. Each default is too short on a busy machine.
  // A wait of a page ends after 30 s, and names what did not happen.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: { poll: { timeout: 30_000 } },
  /** Of the concurrent tests of a file: each may have servers. */
  maxConcurrency: 3,
  // A focused test left in the code is a mistake.
  allowOnly: false,
} as const;

/** A worker loads the modules of the service once, not for each file: they hold no state. */
const isolate = false;

const MEASURED = 'test/measured/**';
const FAULTS = 'test/{faults,image}/**';
const LONG = filesTagged('long');

/**
 * `npm test` runs the tests of the first project without the tag `long`, and `npm run test:all` the
 * tests of all projects that have it.
 */
export default defineConfig({
  test: {
    tags: TAGS,
    globalSetup: ['test/support/run/global-setup.ts'],
    maxWorkers: Math.min(availableParallelism(), 8),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/run/slow-tests.ts'],
    projects: [
      {
        test: {
          ...common,
          isolate,
          name: 'change',
          include: ['test/**/*.test.ts'],
          exclude: [MEASURED, FAULTS, ...LONG],
        },
      },
      {
        test: {
          ...common,
          isolate,
          name: 'long',
          include: LONG,
          exclude: [MEASURED],
          // Many wait for leases and processes. With more, they exceed the time limit of a request.
          maxWorkers: Math.min(availableParallelism() + 2, 8),
          sequence: { groupOrder: 1 },
        },
      },
      // Alone, after all others.
      { test: { ...common, name: 'measured', include: [MEASURED], maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
});
