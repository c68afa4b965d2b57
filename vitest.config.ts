import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/** Tests that measure the memory, the processor time or the event loop of a process. */
const MEASURED = [
  'test/http/{event-loop,memory,worst-texts}.test.ts',
  'test/http/files/{uploads,zip}-memory.test.ts',
  'test/unit/{window-limit,worst-texts}.test.ts',
  'test/security/login*.test.ts',
];

/** Journeys through the dashboard and forms in a real browser. */
const JOURNEYS = [
  'test/browser/{embed,first-form,hosted-form,log-in,new-installation}.test.ts',
  'test/browser/{held,inbox,operator,privacy,record,schema-editor}.test.ts',
];

/** Tests that `npm run test:all` runs, and `npm test` does not: each has a rule of many seconds. */
const LONG = [
  // Writes that arrive late, races and models.
  'test/**/*{late,races,model,fuzz}*.test.ts',
  'test/http/{two-servers,job-process,jobs,pace,operator-load,database-away,index-builds}.test.ts',
  'test/http/{held-renames,imports-erasure,known-people-alike,known-people-lost,retention}.test.ts',
  'test/http/{files/bucket,files/scanner,files/slow,webhooks/large-bodies}.test.ts',
  'test/security/{bodies,exports,form-bodies,import-uploads,pattern*,pipelining,protocol}.test.ts',
  // Processes.
  'test/startup/{import-*,readme-tour,restart,setup,start-command,stop,unwritable-log,workers}.test.ts',
  'test/startup/{file-modes,image,package,refusals}.test.ts',
  'test/cli/{doctor-files,export,serve,usage}.test.ts',
  'test/security/embedded-access.test.ts',
  'test/unit/http/listener.test.ts',
  // The short fault tests of npm run test:faults, with fewer rounds.
  'test/faults/{app-creation,app-restored,connection-cut,delete-interrupted,first-submissions}.test.ts',
  'test/faults/{migrations,offline-queue,primary-monitor,races,renames,rolled-back-schema}.test.ts',
  'test/faults/{start-killed,stopped-over-delete,two-releases,under-attack}.test.ts',
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

/** A worker loads the modules of the service once, not for each file: they hold no state. */
const isolate = false;

/** `npm test` runs the first project, `npm run test:all` the others. */
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
          isolate,
          name: 'change',
          include: ['test/{unit,http,contract,cli,startup,security}/**/*.test.ts', ...JOURNEYS],
          exclude: [...LONG, ...MEASURED],
        },
      },
      {
        test: {
          ...common,
          isolate,
          name: 'long',
          include: ['test/browser/**/*.test.ts', ...LONG],
          exclude: [...JOURNEYS, ...MEASURED],
        },
      },
      // Alone, after all others.
      { test: { ...common, name: 'measured', include: MEASURED, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
