import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/{unit,http,contract,cli,startup,security,browser}/**/*.test.ts',
      // The short fault tests of npm run test:faults, with fewer rounds.
      'test/faults/{app-creation,app-restored,connection-cut,delete-interrupted,first-submissions}.test.ts',
      'test/faults/{offline-queue,primary-monitor,races,renames,rolled-back-schema,stopped-over-delete,under-attack}.test.ts',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A focused test left in the code is a mistake.
    allowOnly: false,
  },
});
