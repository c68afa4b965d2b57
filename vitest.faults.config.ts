import { defineConfig } from 'vitest/config';
import { filesTagged, TAGS } from './test/support/run/tagged.ts';

/** Set by scripts/soak.mjs. */
const minutes = process.env.SOAK_MINUTES;

/**
 * `npm run test:faults` runs the files with the tag `fault`, one after another, with more rounds and
 * verbose output. `npm run test:soak` runs the soak alone.
 */
export default defineConfig({
  test: {
    include: minutes === undefined ? filesTagged('fault') : ['test/faults/soak.ts'],
    tags: TAGS,
    globalSetup: ['test/support/run/global-setup.ts'],
    setupFiles: ['test/support/run/after-each-file.ts', 'test/support/database/statements-hold.ts'],
    provide: { thorough: true, soakMinutes: Number(minutes ?? 0) },
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: minutes === undefined ? 300_000 : (Number(minutes) + 5) * 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxConcurrency: 3,
    allowOnly: false,
  },
});
