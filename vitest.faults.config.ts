import { defineConfig } from 'vitest/config';

/** Set by scripts/soak.mjs. */
const minutes = process.env.SOAK_MINUTES;

/** Tests of other folders that repeat more and store more here than in `npm run test:all`. */
const LONG = [
  'test/browser/{*accessibility*,renames,large/large}.test.ts',
  'test/http/{consents,editing,form-limits,held,held-renames,imports-races,index-slots,memory,renames-model,two-servers}.test.ts',
  'test/{http/files/uploads-fuzz,unit/files/file-types}.test.ts',
  'test/http/query/{breakdown,fractions,indexed-prefix,query-model,scans}.test.ts',
  'test/security/{bodies,exports,form-bodies,login-flood,webhooks/access}.test.ts',
  'test/startup/{import-process,import-takeover,stop}.test.ts',
];

/**
 * `npm run test:faults` runs each fault many times, one after another, with verbose output;
 * `npm run test:all` runs a short selection of the same files. `npm run test:soak` runs the soak alone.
 */
export default defineConfig({
  test: {
    include: minutes === undefined ? ['test/faults/*.test.ts', ...LONG] : ['test/faults/soak.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/after-each-file.ts', 'test/support/statements-hold.ts'],
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
