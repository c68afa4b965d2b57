import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/{unit,http,contract,cli,startup,security,browser}/**/*.test.ts',
      // The short ones of npm run test:faults, with fewer rounds.
      'test/faults/{app-creation,app-restored,connection-cut,delete-interrupted,first-submissions}.test.ts',
      'test/faults/{offline-queue,primary-watch,races,rolled-back-schema,stopped-over-delete,under-attack}.test.ts',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that is left behind in the code as skipped or focused is a mistake.
    allowOnly: false,
  },
});
