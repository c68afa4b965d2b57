import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/** Tests that measure the memory or the CPU time of their own process. */
const MEASURED = [
  'test/http/memory.test.ts',
  'test/http/event-loop.test.ts',
  'test/unit/window-limit.test.ts',
  'test/security/login*.test.ts',
];

const setupFiles = ['test/support/after-each-file.ts', 'test/support/statements-hold.ts'];

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

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Two more than there are cores: many tests wait for a browser, a lease or another process. With
    // more, tests under load exceed the time limit of a request.
    maxWorkers: Math.min(availableParallelism() + 2, 8),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/slowest-files.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'all',
          include: [
            'test/{unit,http,contract,cli,startup,security,browser}/**/*.test.ts',
            // The short fault tests of npm run test:faults, with fewer rounds.
            'test/faults/{app-creation,app-restored,connection-cut,delete-interrupted,first-submissions}.test.ts',
            'test/faults/{migrations,offline-queue,primary-monitor,races,renames,rolled-back-schema,start-killed,stopped-over-delete,two-releases,under-attack}.test.ts',
          ],
          exclude: MEASURED,
          // A worker loads the modules of the service once, not for each file: they hold no state.
          isolate: false,
        },
      },
      { test: { ...common, name: 'measured', include: MEASURED } },
    ],
  },
});
