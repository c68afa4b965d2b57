import { defineConfig } from 'vitest/config';

/** `npm run test:image` runs the documented commands of Docker Compose on a Docker Engine. */
export default defineConfig({
  test: {
    include: ['test/image/*.test.ts'],
    reporters: ['verbose'],
    fileParallelism: false,
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    // A step needs the ones before it.
    bail: 1,
    allowOnly: false,
  },
});
