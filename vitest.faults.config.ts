import { defineConfig } from 'vitest/config';

/** Set by scripts/soak.mjs. */
const minutes = process.env.SOAK_MINUTES;

/**
 * `npm run test:faults` runs each fault many times, one after another, with verbose output;
 * `npm test` runs a short selection of the same files. `npm run test:soak` runs the soak alone.
 */
export default defineConfig({
  test: {
    include: [minutes === undefined ? 'test/faults/*.test.ts' : 'test/faults/soak.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    provide: { thorough: true, soakMinutes: Number(minutes ?? 0) },
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: minutes === undefined ? 300_000 : (Number(minutes) + 5) * 60_000,
    hookTimeout: 120_000,
    allowOnly: false,
  },
});
