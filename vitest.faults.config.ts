import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: each fault many times over, one after another, with progress while it runs. `npm test` runs a short selection of the same files. */
export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    provide: { thorough: true },
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    allowOnly: false,
  },
});
